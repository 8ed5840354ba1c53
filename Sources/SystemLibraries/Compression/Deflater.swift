package import Foundation

/// Incremental zlib compressor, used by one thread at a time.
///
/// Call ``supply(_:)``, then ``read(atMost:)`` until it returns nil, and repeat; at the end call ``finish()``, then
/// ``read(atMost:)`` until it returns nil.
package final class Deflater {
    private let stream: ZlibStream
    /// True once the last byte was read.
    package private(set) var isAtEnd = false

    /// - Parameter level: 0 (no compression) to 9 (smallest); default 6, as in zlib.
    /// - Throws: `SystemLibraryError` if zlib is missing (`missingLibrary`) or rejects the level (`failed`).
    package init(_ format: ZlibFormat = .gzip, level: Int = 6) throws(SystemLibraryError) {
        let functions = try ZlibFunctions.system.get()
        stream = try ZlibStream(functions: functions, end: functions.deflateEnd) { state, version, size in
            functions.deflateInit(
                state, CInt(clamping: level), ZlibConstant.deflated, format.windowBits, ZlibConstant.memoryLevel,
                ZlibConstant.defaultStrategy, version, size)
        }
    }

    /// Checks that zlib can be loaded.
    /// - Throws: `SystemLibraryError` (`missingLibrary`, `missingFunction`).
    package static func checkAvailability() throws(SystemLibraryError) { _ = try ZlibFunctions.system.get() }

    /// Adds input.
    package func supply(_ data: Data) { stream.supply(data) }

    /// Returns the compressed bytes of all input so far, also those that zlib holds back; empty if there are none.
    ///
    /// They end at a byte boundary, with an empty stored block: the bytes 00 00 FF FF (a synchronous flush). Further
    /// data may refer to the input.
    package func flush() throws(SystemLibraryError) -> Data {
        guard !isAtEnd else { return Data() }
        var output = Data()
        while true {
            let capacity = min(max(stream.inputCount + 64, 256), 1 << 20)
            let piece = try stream.run(atMost: capacity) { state, _ throws(SystemLibraryError) in
                try step(state, ZlibConstant.synchronousFlush)
            }
            if output.isEmpty { output = piece } else { output.append(piece) }
            // zlib has more while it fills the whole piece.
            if piece.count < capacity, stream.isInputEmpty { return output }
        }
    }

    /// Marks the end of the input.
    package func finish() { stream.completeInput() }

    /// Returns the next compressed bytes.
    /// - Returns: one to `count` bytes; nil if more input is needed or, after ``finish()``, at the end.
    package func read(atMost count: Int) throws(SystemLibraryError) -> Data? {
        if isAtEnd || (stream.isInputEmpty && !stream.isInputComplete) { return nil }
        let output = try stream.run(atMost: count) { state, isLast throws(SystemLibraryError) in
            try step(state, isLast ? ZlibConstant.finish : ZlibConstant.noFlush)
        }
        return output.isEmpty ? nil : output
    }

    /// Begins another stream, which does not refer to the data before.
    package func reset() throws(SystemLibraryError) {
        stream.dropInput()
        try stream.reset(by: stream.functions.deflateReset)
        isAtEnd = false
    }

    private func step(
        _ state: UnsafeMutableRawPointer, _ flush: CInt
    ) throws(SystemLibraryError) -> ZlibStream.Step {
        switch stream.functions.deflate(state, flush) {
        case ZlibConstant.streamEnd:
            isAtEnd = true
            return .end
        case ZlibConstant.ok: return .more
        case ZlibConstant.bufferError: return .end
        case let code:
            throw SystemLibraryError(
                .failed, library: ZlibFunctions.libraryName, "zlib: deflate failed with code \(code).")
        }
    }

    /// Compresses data in memory.
    package static func deflate(
        _ data: Data, as format: ZlibFormat = .gzip, level: Int = 6
    ) throws(SystemLibraryError) -> Data {
        let deflater = try Deflater(format, level: level)
        deflater.supply(data)
        deflater.finish()
        var output = Data()
        while let piece = try deflater.read(atMost: 65_536) { output.append(piece) }
        return output
    }
}
