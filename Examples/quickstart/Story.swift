import HTTPMessages
import PatchbayTestKit
import Synchronization

/// Prints what is called, what the built-in server saw on the wire, and what came back.
final class Story: Sendable {
    private let server: LoopbackServer?
    private let shown = Mutex(Shown())

    /// What was printed so far.
    private struct Shown {
        var count = 0
        var fields: [String: String] = [:]

        /// The fields that were not there before, or had another value; most are the same in each request.
        mutating func newFields(of request: RecordedRequest) -> [HTTPFields.Field] {
            request.fields.filter { fields.updateValue($0.value, forKey: $0.name.canonical) != $0.value }
        }
    }

    /// - Parameter server: the built-in server, or nil when somebody else's wire cannot be seen.
    init(server: LoopbackServer?) { self.server = server }

    /// Begins a chapter.
    func chapter(_ title: String, code: String) {
        print("\n== \(title)")
        for line in code.split(separator: "\n") { print("   | \(line)") }
    }

    /// Shows the requests that have come to the server since the last time, with the fields that are new or differ.
    func wire() {
        guard let server else { return }
        let requests = server.requests
        shown.withLock { shown in
            for request in requests[shown.count...] {
                print("   > \(request.requestLine)")
                for field in shown.newFields(of: request) { print("   > \(field)") }
                if !request.body.isEmpty { print("   > (\(request.body.count) bytes of body)") }
            }
            shown.count = requests.count
        }
    }

    /// Shows what came back.
    func result(_ text: some CustomStringConvertible) { print("   < \(text)") }
}
