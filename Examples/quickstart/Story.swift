import HTTPMessages
import PatchbayTestKit
import Synchronization

/// Prints what is called, what the built-in server saw on the wire, and what came back.
final class Story: Sendable {
    private let server: LoopbackServer?
    private let told = Mutex(0)

    /// - Parameter server: the built-in server, or nil when somebody else's wire cannot be seen.
    init(server: LoopbackServer?) { self.server = server }

    /// Begins a chapter.
    func chapter(_ title: String, code: String) {
        print("\n== \(title)")
        for line in code.split(separator: "\n") { print("   | \(line)") }
    }

    /// Shows the requests that have come to the server since the last time.
    func wire() {
        guard let server else { return }
        let requests = server.requests
        let first = told.withLock { told in
            defer { told = requests.count }
            return told
        }
        for request in requests[first...] {
            print("   > \(request.requestLine)")
            for field in request.fields { print("   > \(field)") }
            if !request.body.isEmpty { print("   > (\(request.body.count) bytes of body)") }
        }
    }

    /// Shows what came back.
    func result(_ text: some CustomStringConvertible) { print("   < \(text)") }
}
