/// The command `patchbay-migrate`: its arguments, what it prints, and its exit status.
package struct Command: Sendable {
    package struct Result: Sendable, Equatable {
        package var output: String
        /// Text for the standard error.
        package var error: String
        /// 0: everything has something to move to; 1: something is missing; 64: bad usage.
        package var status: Int32
    }

    package static let usage = """
        usage: patchbay-migrate [--all] [--json] PATH...

        Reads the Swift and Objective-C sources at each PATH, a file or a folder, and lists the calls into the SDKs of
        Akula, HyperHive, Oracle CX, MobileFirst and SAP: works, works otherwise, ambiguous or missing. Places that work as
        they are are only counted; --all lists them too, and --json has all. Folders of builds, Pods, Carthage and hidden ones are left out, unless they are a PATH. Links are relative to the package's folder.

        exit status: 0, or 1 if something is missing, or 64 for bad usage
        """

    /// Runs with the arguments after the program's name.
    package static func run(_ arguments: [String]) -> Result {
        var paths: [String] = []
        var isJSON = false
        var listsAll = false
        var takesOptions = true
        for argument in arguments {
            switch argument {
            case "--" where takesOptions: takesOptions = false
            case "--all" where takesOptions: listsAll = true
            case "--json" where takesOptions: isJSON = true
            case "--help" where takesOptions, "-h" where takesOptions:
                return Result(output: usage, error: "", status: 0)
            case _ where takesOptions && argument.hasPrefix("-"): return badUsage("unknown option \(argument)")
            default: paths.append(argument)
            }
        }
        guard !paths.isEmpty else { return badUsage("a PATH is required") }
        do {
            let report = Report(try SourceTree(paths))
            return Result(
                output: isJSON ? try report.json() : report.text(listsAll: listsAll), error: "",
                status: report.hasMissing ? 1 : 0)
        } catch let problem as SourceTree.Problem {
            return badUsage("\(problem.path): \(problem.text)")
        } catch {
            return Result(output: "", error: "The report cannot be written as JSON: \(error)", status: 70)
        }
    }

    private static func badUsage(_ text: String) -> Result {
        Result(output: "", error: "patchbay-migrate: \(text)\n\n\(usage)", status: 64)
    }
}
