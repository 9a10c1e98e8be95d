# SPDX-License-Identifier: Apache-2.0
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Cleave(CMakePackage):
    """Divide-and-conquer over MPI with traces and predicted run times."""

    # The clone that this recipe lies in. cmake/packaging/release writes url, sha256 and maintainers in its place.
    git = pathlib.Path(__file__).resolve().parents[7].as_uri()
    homepage = git

    license("Apache-2.0")
    version("0.3.0", branch="main")

    variant("python", default=False, description="Traces and predictions as pandas DataFrames")

    generator("ninja")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("help2man", type="build")
    depends_on("mpi")
    depends_on("boost@1.81: +context")
    depends_on("cli11")
    depends_on("eigen@3.4:", type="build")
    depends_on("fmt")
    depends_on("highway")
    depends_on("hwloc")
    depends_on("nlohmann-json@3.11:")
    depends_on("openssl@3:")
    depends_on("zlib-api")
    depends_on("py-pandas@1.5:", type="run", when="+python")
    conflicts("%gcc@:11", msg="C++20 as of GCC 12 is needed")

    def cmake_args(self):
        return [
            self.define("CLEAVE_MPI", "openmpi" if self.spec.satisfies("^openmpi") else "mpich"),
            self.define("CLEAVE_TESTS", False),
        ]

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", join_path(self.prefix, "lib", "python3", "dist-packages"))

    def test_version(self):
        """the command starts"""
        Executable(join_path(self.prefix, "bin", "cleave"))("--version")

    def test_sort(self):
        """a sort on one rank is right"""
        sort = Executable(join_path(self.prefix, "bin", "cleave-quicksort"))
        sort("--size", "N=1K", "--repetitions", "1", "--verify")
