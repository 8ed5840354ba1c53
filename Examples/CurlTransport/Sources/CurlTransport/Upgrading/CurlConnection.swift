import Foundation
import Transport

/// A connection that has switched protocols; its bytes pass the event thread.
///
/// It keeps the event thread, so that it outlives the transport.
final class CurlConnection: UpgradedConnection {
    private let id: Call.ID
    private let client: CurlClient
    private let pipe: SocketPipe
    let executor: (any TaskExecutor)?

    init(_ id: Call.ID, _ client: CurlClient, _ pipe: SocketPipe) {
        (self.id, self.client, self.pipe) = (id, client, pipe)
        executor = LoopExecutor(client.mailbox)
    }

    deinit { close() }

    func read() async throws -> Data? {
        let (mailbox, id) = (client.mailbox, id)
        return try await pipe.read { Self.notify($0, mailbox, id) }
    }

    /// Gives back bytes, which are read next.
    func unread(_ bytes: Data) { pipe.unread(bytes) }

    func write(_ bytes: Data) async throws {
        let (mailbox, id) = (client.mailbox, id)
        try await pipe.write(bytes) { Self.notify($0, mailbox, id) }
    }

    private static func notify(_ notice: SocketPipe.Notice, _ mailbox: Mailbox, _ id: Call.ID) {
        switch notice {
        case .read: mailbox.post(.continueReceiving(id))
        case .write: mailbox.post(.continueSending(id))
        }
    }

    func close() {
        pipe.close()
        client.mailbox.post(.cancel(id))
    }
}
