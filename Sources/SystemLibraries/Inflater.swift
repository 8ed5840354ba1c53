package import Foundation

/// Decompresses a stream, piece by piece: ``supply(_:)``, then ``read(atMost:)`` until it gives nil, and so on; at the
/// end ``finish()`` and ``read(atMost:)`` until it gives nil.
///
/// A small piece of input may become a thousand times as much output; it is made in pieces of the size asked for, so
/// a caller that counts can stop in time. Several gzip members in a row are read as one (RFC 1952, section 2.2).
/// Used by one thread at a time.
package final class Inflater {
    private let stream: ZlibStream
    private let format: ZlibFormat
    private var isBetweenMembers = false

    /// - Throws: `SystemLibraryError` when zlib is missing.
    package init(_ format: ZlibFormat = .gzip) throws(SystemLibraryError) {
        let functions = try ZlibFunctions.system.get()
        self.format = format
        stream = try ZlibStream(functions: functions, end: functions.inflateEnd) { state, version, size in
            functions.inflateInit(state, format.windowBits, version, size)
        }
    }

    /// Hands in the next bytes.
    package func supply(_ data: Data) { stream.supply(data) }

    /// Says that no more bytes come.
    package func finish() { stream.completeInput() }

    /// The next decompressed bytes.
    /// - Returns: one to `count` bytes; nil when more input is needed or, after ``finish()``, at the end.
    /// - Throws: `SystemLibraryError` (`invalidData`) when the input is not of the format, damaged, has something
    ///   behind its end, or, after ``finish()``, ends too early.
    package func read(atMost count: Int) throws(SystemLibraryError) -> Data? {
        while !stream.isInputEmpty || !isBetweenMembers {
            if isBetweenMembers {
                guard format == .gzip else { throw invalid("has something behind its end") }
                try stream.reset()
                isBetweenMembers = false
            }
            let output = try stream.run(atMost: count) { state, _ throws(SystemLibraryError) in try step(state) }
            if !output.isEmpty { return output }
            if isBetweenMembers || !stream.isInputEmpty { continue }
            guard stream.isInputComplete else { return nil }
            throw invalid("ends too early")
        }
        return nil
    }

    private func step(_ state: UnsafeMutableRawPointer) throws(SystemLibraryError) -> ZlibStream.Step {
        switch stream.functions.inflate(state, ZlibConstant.noFlush) {
        case ZlibConstant.ok: return .more
        case ZlibConstant.streamEnd:
            isBetweenMembers = true
            return .end
        case ZlibConstant.bufferError: return .end
        case ZlibConstant.dataError, ZlibConstant.needsDictionary: throw invalid("is damaged or of another format")
        case let code:
            throw SystemLibraryError(
                .failed, library: ZlibFunctions.libraryName, "zlib cannot decompress (code \(code)).")
        }
    }

    private func invalid(_ problem: String) -> SystemLibraryError {
        SystemLibraryError(.invalidData, library: ZlibFunctions.libraryName, "The compressed data \(problem).")
    }

    /// All of `data`, decompressed.
    /// - Throws: also `SystemLibraryError` (`invalidData`) past `limit` bytes.
    package static func inflate(
        _ data: Data, as format: ZlibFormat = .gzip, upTo limit: Int = 64 << 20
    ) throws(SystemLibraryError) -> Data {
        let inflater = try Inflater(format)
        inflater.supply(data)
        inflater.finish()
        var output = Data()
        while let piece = try inflater.read(atMost: 65_536) {
            guard output.count + piece.count <= limit else {
                throw inflater.invalid("becomes more than the \(limit) bytes allowed")
            }
            output.append(piece)
        }
        return output
    }
}
