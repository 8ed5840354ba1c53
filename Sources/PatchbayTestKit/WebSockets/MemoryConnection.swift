package import Foundation
import Transport

/// One end of a connection in memory; both ends count what was read.
package final class MemoryConnection: UpgradedConnection {
    /// The bytes on their way to one end.
    private struct Lane {
        var bytes = Data()
        var isClosed = false
        var readCount = 0
    }

    private let input: Watched<Lane>
    private let output: Watched<Lane>
    /// The number of bytes on their way at which a writer waits.
    private let capacity: Int

    private init(_ input: Watched<Lane>, _ output: Watched<Lane>, capacity: Int) {
        (self.input, self.output, self.capacity) = (input, output, capacity)
    }

    package static func pair(capacity: Int = 64 << 10) -> (MemoryConnection, MemoryConnection) {
        let (first, second) = (Watched(Lane()), Watched(Lane()))
        return (
            MemoryConnection(first, second, capacity: capacity), MemoryConnection(second, first, capacity: capacity)
        )
    }

    /// The number of bytes that this end has read.
    package var readCount: Int { input.value.readCount }
    /// True while the bytes that this end has written are too many.
    package var isBlocked: Bool { output.value.bytes.count > capacity }
    /// Suspends until this end is closed by either side.
    package func waitForEnd() async throws { _ = try await input.wait { $0.isClosed } }

    package func read() async throws -> Data? {
        _ = try await input.wait { !$0.bytes.isEmpty || $0.isClosed }
        return input.update { lane in
            guard !lane.bytes.isEmpty else { return nil }
            let bytes = Data(lane.bytes.prefix(4096))
            // A slice: a large message is read in many pieces.
            lane.bytes = lane.bytes.dropFirst(bytes.count)
            lane.readCount += bytes.count
            return bytes
        }
    }

    package func write(_ bytes: Data) async throws {
        let isOpen = output.update { lane in
            // A new value, without the bytes before the slice.
            if !lane.isClosed { lane.bytes = lane.bytes + bytes }
            return !lane.isClosed
        }
        guard isOpen else { throw TransportError(.connectionLost, "Connection lost: the peer has closed it.") }
        _ = try? await output.wait { [capacity] in $0.bytes.count <= capacity || $0.isClosed }
    }

    package func close() {
        input.update { $0.isClosed = true }
        output.update { $0.isClosed = true }
    }
}
