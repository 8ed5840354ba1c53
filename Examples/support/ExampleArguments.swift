import Foundation

/// The parsed command line of an example.
enum ExampleArguments: Hashable {
    /// No arguments: the server in the process.
    case embedded
    /// `--server URL`.
    case server(String)
    /// `--help` or `-h`.
    case help

    /// What is wrong with a command line.
    struct Problem: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// Parses the arguments.
    /// - Throws: ``Problem`` for anything but `--help`, or one `--server` with a URL.
    init(_ words: some Sequence<String>) throws(Problem) {
        var rest = Array(words)[...]
        self = .embedded
        while let option = rest.popFirst() {
            switch option {
            case "--help", "-h":
                self = .help
                return
            case "--server":
                guard let text = rest.popFirst() else {
                    throw Problem(description: "A URL is missing after --server.")
                }
                guard self == .embedded else { throw Problem(description: "--server is there twice; use one.") }
                self = .server(try Self.checked(text))
            default: throw Problem(description: "Unknown argument: \(option).")
            }
        }
    }

    /// The URL without `/` at its end.
    private static func checked(_ text: String) throws(Problem) -> String {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host()?.isEmpty == false, url.user() == nil, url.password() == nil,
            !text.contains(where: { "?#".contains($0) })
        else {
            // Without the value, which may have a password or a key.
            throw Problem(
                description:
                    "Invalid URL after --server; use one such as https://example.com/api, without user and query.")
        }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }
}
