import Foundation
import TestSupport

/// An example in a process of its own, since the facades keep settings of the whole process.
enum ExampleProcess {
    /// Runs an example to its end, and returns what it printed, errors included.
    /// - Parameter login: true to set the user of the servers in the process for `--server`.
    static func run(
        _ name: String, _ arguments: String..., login: Bool = true
    ) async throws -> (ChildProcess.Ending, String) {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "output")
        try Data().write(to: file)
        let output = try FileHandle(forWritingTo: file)
        var environment = ProcessInfo.processInfo.environment
        // A program that runs against its own server ignores them.
        let isOwn = !arguments.contains("--server")
        environment["PATCHBAY_USER"] = isOwn ? "eve" : login ? "ann" : nil
        environment["PATCHBAY_PASSWORD"] = isOwn ? "other" : login ? "open sesame" : nil
        let words = ["-c", #"exec "$0" "$@" 2>&1"#, BuiltProducts.url(of: name).path] + arguments
        let ending = try await ChildProcess.run("/bin/sh", words, environment: environment, output: output)
        return (ending, try String(contentsOf: file, encoding: .utf8))
    }
}
