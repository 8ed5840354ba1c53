import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

/// Prints the calls of a tour, the requests that the built-in server received, and the results.
final class Transcript: Sendable {
    private let server: LoopbackServer?
    private let printed = Mutex(Printed())

    /// The requests and fields printed so far.
    private struct Printed {
        var count = 0
        var fields: [String: String] = [:]

        /// The fields with new names or values; most fields are the same in each request.
        mutating func newFields(of request: RecordedRequest) -> [HTTPFields.Field] {
            request.fields.filter { fields.updateValue($0.value, forKey: $0.name.canonicalName) != $0.value }
        }
    }

    /// - Parameter server: the built-in server; nil for an external one, whose requests cannot be shown.
    init(server: LoopbackServer?) { self.server = server }

    /// Prints a heading and the code that follows the call in its source file, between `// show` and `// end`.
    func section(_ title: String, file: String = #filePath, line: Int = #line) {
        print("\n== \(title)")
        for line in Self.code(in: file, after: line) { print("   | \(line)") }
    }

    private static func code(in file: String, after line: Int) -> [Substring] {
        guard let source = try? String(contentsOfFile: file, encoding: .utf8) else {
            return ["(the source is not here: \(file))"]
        }
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
            .dropFirst(line).drop { $0.drop(while: \.isWhitespace) != "// show" }
        let code = lines.dropFirst().prefix { $0.drop(while: \.isWhitespace) != "// end" }
        let indent = code.map { $0.prefix(while: \.isWhitespace).count }.min() ?? 0
        return code.map { $0.dropFirst(indent) }
    }

    /// Prints the requests received since the last call, with their new or changed fields.
    func showRequests() {
        guard let server else { return }
        let requests = server.requests
        printed.withLock { printed in
            for request in requests[printed.count...] {
                print("   > \(Self.line(of: request))")
                for field in printed.newFields(of: request) { print("   > \(field)") }
                if !request.body.isEmpty { print("   > (\(request.body.count) bytes of body)") }
            }
            printed.count = requests.count
        }
    }

    /// The request line without the secrets of its URL.
    private static func line(of request: RecordedRequest) -> String {
        let target = URL(string: request.target).map { Redaction.standard.redacted($0) } ?? Redaction.placeholder
        return "\(request.method) \(target)"
    }

    /// Prints a result.
    func showResult(_ text: some CustomStringConvertible) { print("   < \(text)") }
}
