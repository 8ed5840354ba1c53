import Foundation
import PatchbayTestKit
import Transport

/// A connection that takes no bytes. Those that have arrived are read after the first write has failed.
final class BrokenConnection: UpgradedConnection {
    let isClosed = Watched(false)
    private let hasFailed = Watched(false)
    private let arrived: Watched<Data>

    init(arrived: Data = Data()) { self.arrived = Watched(arrived) }

    func read() async throws -> Data? {
        if !arrived.value.isEmpty {
            _ = try await hasFailed.wait { $0 }
            return arrived.update { bytes in
                defer { bytes = Data() }
                return bytes
            }
        }
        _ = try await isClosed.wait { $0 }
        return nil
    }

    func write(_ bytes: Data) async throws {
        hasFailed.update { $0 = true }
        throw TransportError(.connectionLost, "Connection lost: the cable is out.")
    }

    func close() { isClosed.update { $0 = true } }
}
