import Foundation
import PatchbayTestKit
import Transport

/// A connection that takes no bytes, and on which none arrive.
final class BrokenConnection: UpgradedConnection {
    let isClosed = Watched(false)

    func read() async throws -> Data? {
        _ = try await isClosed.wait { $0 }
        return nil
    }

    func write(_ bytes: Data) async throws {
        throw TransportError(.connectionLost, "Connection lost: the cable is out.")
    }

    func close() { isClosed.update { $0 = true } }
}
