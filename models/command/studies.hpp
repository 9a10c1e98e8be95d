// What `cleave study` runs for each application: the sizes of the paper's tables, and smaller ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cleave {

struct Study {
  std::string size_option;         ///< the application's option that a size is given by
  std::vector<std::string> sizes;  ///< its values
  std::string placement;           ///< unless another is asked for; the application's own if empty
  int rounds = 3;                  ///< how often every size is run
  int repetitions = 3;             ///< counted, of each run: more where a run takes milliseconds
};

/// The study of `app`; `quick` takes seconds rather than minutes.
/// An application that is not known has `--size` and no sizes: they must be given.
Study study_of(std::string_view app, bool quick);

}  // namespace cleave
