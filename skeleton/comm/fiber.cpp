// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>
#include <utility>

#include <cleave/comm/fiber.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define CLEAVE_TELLS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CLEAVE_TELLS_SANITIZER 1
#endif
#endif
#ifdef CLEAVE_TELLS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace cleave::detail {

namespace {

constexpr std::size_t kStackBytes = std::size_t{8} << 20;

}  // namespace

Fiber::Fiber(std::function<void()> work) : work_(std::move(work)) {
  stack_ = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack_ == MAP_FAILED) {
    throw std::bad_alloc();
  }
  ::mprotect(stack_, static_cast<std::size_t>(::getpagesize()),
             PROT_NONE);  // it grows down to here
  ::getcontext(&own_);
  own_.uc_stack.ss_sp = stack_;
  own_.uc_stack.ss_size = kStackBytes;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  ::makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

Fiber::~Fiber() { ::munmap(stack_, kStackBytes); }

void Fiber::resume() { switch_stacks(caller_, own_, true); }
void Fiber::suspend() { switch_stacks(own_, caller_, false); }

/// makecontext passes integers alone.
void Fiber::enter(unsigned high, unsigned low) {
  auto& fiber = *reinterpret_cast<Fiber*>((std::uintptr_t{high} << 32) | low);
#ifdef CLEAVE_TELLS_SANITIZER
  __sanitizer_finish_switch_fiber(nullptr, &fiber.callers_stack_, &fiber.callers_bytes_);
#endif
  fiber.work_();
  fiber.has_ended_ = true;
  fiber.suspend();
}

void Fiber::switch_stacks(ucontext_t& from, ucontext_t& to, [[maybe_unused]] bool is_to_fiber) {
#ifdef CLEAVE_TELLS_SANITIZER
  void* kept = nullptr;
  const bool is_last = has_ended_ && !is_to_fiber;
  __sanitizer_start_switch_fiber(is_last ? nullptr : &kept, is_to_fiber ? stack_ : callers_stack_,
                                 is_to_fiber ? kStackBytes : callers_bytes_);
#endif
  ::swapcontext(&from, &to);
#ifdef CLEAVE_TELLS_SANITIZER
  const bool is_back_in_fiber = !is_to_fiber;
  __sanitizer_finish_switch_fiber(kept, is_back_in_fiber ? &callers_stack_ : nullptr,
                                  is_back_in_fiber ? &callers_bytes_ : nullptr);
#endif
}

}  // namespace cleave::detail
