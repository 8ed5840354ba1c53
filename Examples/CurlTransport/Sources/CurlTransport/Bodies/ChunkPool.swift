import Foundation
import Synchronization

/// Memory for the chunks of response bodies, used again once their readers have released them. Thread-safe.
///
/// The pages of new memory cost more than the copy into them.
final class ChunkPool: Sendable {
    /// Memory for one chunk, which returns to the pool with its last owner.
    final class Memory: Sendable {
        private let address: UInt
        private let pool: ChunkPool

        fileprivate init(_ address: UInt, _ pool: ChunkPool) {
            self.address = address
            self.pool = pool
        }

        deinit { pool.recycle(address) }

        private var bytes: UnsafeMutableRawBufferPointer {
            UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(bitPattern: address), count: ChunkPool.chunkSize)
        }

        /// Copies bytes to an offset; they must fit.
        func copy(_ source: UnsafeRawBufferPointer, to offset: Int) {
            UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyMemory(from: source)
        }

        /// The bytes of a range; small ones are copied, so that they do not keep the memory.
        func data(_ range: Range<Int>) -> Data {
            let part = UnsafeMutableRawBufferPointer(rebasing: bytes[range])
            guard let start = part.baseAddress, part.count >= ChunkPool.smallSize else { return Data(part) }
            return Data(
                bytesNoCopy: start, count: part.count, deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
        }
    }

    static let chunkSize = 128 << 10
    /// The size below which bytes are not worth a chunk of their own.
    static let smallSize = 16 << 10
    /// The number of unused chunks that are kept.
    private static let capacity = 8

    private let unused = Mutex<[UInt]>([])

    deinit {
        for address in unused.withLock({ $0 }) { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
    }

    func take() -> Memory {
        let address = unused.withLock { $0.popLast() }
        return Memory(
            address ?? UInt(bitPattern: UnsafeMutableRawPointer.allocate(byteCount: Self.chunkSize, alignment: 4096)),
            self)
    }

    private func recycle(_ address: UInt) {
        let isKept = unused.withLock { unused in
            guard unused.count < Self.capacity else { return false }
            unused.append(address)
            return true
        }
        if !isKept { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
    }
}
