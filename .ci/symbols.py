"""The public libraries of the package and the graphs of their symbols, for the checks beside this file.

The modules must be built. PATCHBAY_MODULES names their folder, if it is not that of a debug build of this checkout.
"""
import functools, json, os, pathlib, re, subprocess

root = pathlib.Path(__file__).resolve().parent.parent
libraries = re.findall(r'\.library\(name: "(\w+)"', (root / "Package.swift").read_text())


def output(*command):
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


@functools.cache
def modules_folder():
    return os.environ.get("PATCHBAY_MODULES") or f"{output('swift', 'build', '--show-bin-path')}/Modules"


@functools.cache
def triple():
    return json.loads(output("swiftc", "-print-target-info"))["target"]["unversionedTriple"]


def extract(module, folder, *options):
    """Writes the symbols of a module, and those that it adds to types of other modules; returns the files."""
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    output("swift", "symbolgraph-extract", "-module-name", module, "-I", modules_folder(), "-target", triple(),
           "-output-dir", str(folder), "-minimum-access-level", "public", "-skip-synthesized-members", *options)
    return [path for path in sorted(pathlib.Path(folder).glob(f"{module}*.symbols.json"))
            if path.name.split(".")[0].split("@")[0] == module]
