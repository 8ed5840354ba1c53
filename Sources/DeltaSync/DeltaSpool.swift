import Coordination
import Foundation

/// The bytes of a delta: in memory, and from the size of one batch on in a temporary file.
struct DeltaSpool {
    private var memory = Data()
    private var file: ScratchFile?
    private(set) var byteCount = 0

    /// Appends bytes.
    /// - Throws: ``DeltaError`` (`source`) for a file that cannot be written.
    mutating func append(_ bytes: Data) throws(DeltaError) {
        do {
            if file == nil, byteCount + bytes.count > DeltaBuffer.maximumByteCount {
                let file = try ScratchFile(in: FileManager.default.temporaryDirectory)
                try file.write(memory, at: 0)
                (self.file, memory) = (file, Data())
            }
            if let file { try file.write(bytes, at: Int64(byteCount)) } else { memory += bytes }
            byteCount += bytes.count
        } catch {
            throw DeltaError(
                .source, "Delta cannot be written to a temporary file; free space there.", underlying: error)
        }
    }

    /// Returns a function that reads the bytes from their start, a part at each call; nil at the end.
    func reader() -> () throws -> Data? {
        var offset = 0
        return { [memory, file, byteCount] in
            let count = min(byteCount - offset, 64 << 10)
            guard count > 0 else { return nil }
            defer { offset += count }
            return try file?.read(count, at: Int64(offset)) ?? memory[offset..<(offset + count)]
        }
    }
}
