import Foundation
public import PatchbayTestKit

/// A program that shows one use of the package, against a server of its own or a real one.
///
/// A type with `@main` that conforms is a whole program: it reads the arguments, starts the server in the process
/// unless there is `--server URL`, runs, and prints "done". It exits with 1 after an error, and with 2 for wrong
/// arguments.
public protocol Example {
    /// The executable's name.
    static var name: String { get }
    /// What the program shows, in a sentence.
    static var summary: String { get }
    /// What the server at `--server URL` has to offer.
    static var requirements: String { get }
    /// The path of the API on the server in the process; default empty.
    static var path: String { get }
    /// Starts the server in the process.
    static func startServer() throws -> LoopbackServer
    /// Runs the program.
    /// - Parameter server: the URL of the API, without `/` at its end.
    static func run(at server: String) async throws
}

extension Example {
    /// The API is at the root of the server.
    public static var path: String { "" }

    /// The user to log in with: `PATCHBAY_USER` with `--server`, else that of the servers in the process.
    /// - Throws: ``Unexpected`` if the variable is not set.
    public static var user: String { get throws { try setting("PATCHBAY_USER", embedded: "ann") } }

    /// The password of the user: `PATCHBAY_PASSWORD`, since other users of the machine can read arguments.
    /// - Throws: ``Unexpected`` if the variable is not set.
    public static var password: String { get throws { try setting("PATCHBAY_PASSWORD", embedded: "open sesame") } }

    /// Runs the program with the arguments of the process.
    @MainActor public static func main() async {
        do throws(ExampleArguments.Problem) {
            switch try ExampleArguments(CommandLine.arguments.dropFirst()) {
            case .help: print(usage)
            case .embedded: await finish { try await startServer().stopping { try await run(at: url(of: $0)) } }
            case .server(let url): await finish { try await run(at: url) }
            }
        } catch {
            report("\(name): \(error)\n\n\(usage)")
            exit(2)
        }
    }

    /// The URL of the API on the server in the process.
    public static func url(of server: LoopbackServer) -> String { server.url.absoluteString + path }

    private static var usage: String {
        """
        \(summary)

        Usage: \(name) [--server URL]

        Without arguments it runs against a server in this process.
        \(requirements)
        """
    }

    private static func finish(_ body: () async throws -> Void) async {
        do {
            try await body()
            print("done")
        } catch {
            report("\(name): \(error)")
            exit(1)
        }
    }

    private static func report(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

    /// The value for a server of the user's is never sent to another one, and the other way round.
    private static func setting(_ name: String, embedded value: String) throws -> String {
        guard case .server = try ExampleArguments(CommandLine.arguments.dropFirst()) else { return value }
        guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else {
            throw Unexpected("\(name) is not set; set it for the server.")
        }
        return value
    }
}
