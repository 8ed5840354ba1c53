package import Foundation

/// Compresses a stream, piece by piece: ``supply(_:)``, then ``read(atMost:)`` until it gives nil, and so on; at the
/// end ``finish()`` and ``read(atMost:)`` until it gives nil.
///
/// Used by one thread at a time.
package final class Deflater {
    private let stream: ZlibStream
    /// True when the last byte was read.
    package private(set) var isAtEnd = false

    /// - Parameter level: 0 (no compression) to 9 (smallest); default 6, zlib's own choice.
    /// - Throws: `SystemLibraryError` when zlib is missing, or refuses the level.
    package init(_ format: ZlibFormat = .gzip, level: Int = 6) throws(SystemLibraryError) {
        let functions = try ZlibFunctions.system.get()
        stream = try ZlibStream(functions: functions, end: functions.deflateEnd) { state, version, size in
            functions.deflateInit(
                state, CInt(clamping: level), ZlibConstant.deflated, format.windowBits, ZlibConstant.memoryLevel,
                ZlibConstant.defaultStrategy, version, size)
        }
    }

    /// Checks that zlib is there.
    /// - Throws: `SystemLibraryError` when it is missing.
    package static func checkAvailability() throws(SystemLibraryError) { _ = try ZlibFunctions.system.get() }

    /// Hands in the next bytes.
    package func supply(_ data: Data) { stream.supply(data) }

    /// Says that no more bytes come.
    package func finish() { stream.completeInput() }

    /// The next compressed bytes.
    /// - Returns: one to `count` bytes; nil when more input is needed or, after ``finish()``, at the end.
    package func read(atMost count: Int) throws(SystemLibraryError) -> Data? {
        if isAtEnd || (stream.isInputEmpty && !stream.isInputComplete) { return nil }
        let output = try stream.run(atMost: count) { state, isLast throws(SystemLibraryError) in
            let flush = isLast ? ZlibConstant.finish : ZlibConstant.noFlush
            switch stream.functions.deflate(state, flush) {
            case ZlibConstant.streamEnd:
                isAtEnd = true
                return .end
            case ZlibConstant.ok: return .more
            case ZlibConstant.bufferError: return .end
            case let code:
                throw SystemLibraryError(
                    .failed, library: ZlibFunctions.libraryName, "zlib cannot compress (code \(code)).")
            }
        }
        return output.isEmpty ? nil : output
    }

    /// All of `data`, compressed.
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
