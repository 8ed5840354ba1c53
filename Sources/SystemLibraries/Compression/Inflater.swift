package import Foundation

/// Incremental zlib decompressor, used by one thread at a time.
///
/// Call ``supply(_:)``, then ``read(atMost:)`` until it returns nil, and repeat; at the end call ``finish()``, then
/// ``read(atMost:)`` until it returns nil. Output may be a thousand times larger than the input; it is produced in
/// bounded pieces, so that the caller can enforce a limit. Concatenated gzip members are decompressed as one (RFC 1952,
/// section 2.2).
package final class Inflater {
    private let stream: ZlibStream
    private let format: ZlibFormat
    private var isBetweenMembers = false

    /// - Throws: `SystemLibraryError` if zlib is missing.
    package init(_ format: ZlibFormat = .gzip) throws(SystemLibraryError) {
        let functions = try ZlibFunctions.system.get()
        self.format = format
        stream = try ZlibStream(functions: functions, end: functions.inflateEnd) { state, version, size in
            functions.inflateInit(state, format.windowBits, version, size)
        }
    }

    /// Adds input.
    package func supply(_ data: Data) { stream.supply(data) }

    /// Marks the end of the input.
    package func finish() { stream.completeInput() }

    /// Returns the next decompressed bytes.
    /// - Returns: one to `count` bytes; nil if more input is needed or, after ``finish()``, at the end.
    /// - Throws: `SystemLibraryError` (`invalidData`) if the input has another format, is corrupt, has trailing data,
    ///   or is truncated.
    package func read(atMost count: Int) throws(SystemLibraryError) -> Data? {
        while !stream.isInputEmpty || !isBetweenMembers {
            // Ends of streams are within one piece: a peer can send a million of them, with nothing in between.
            let output = try stream.run(atMost: count) { state, _ throws(SystemLibraryError) in
                if isBetweenMembers { try beginNextStream() }
                return try step(state)
            }
            if !output.isEmpty { return output }
            if isBetweenMembers || !stream.isInputEmpty { continue }
            guard stream.isInputComplete else { return nil }
            throw invalid("unexpected end of input")
        }
        return nil
    }

    /// True after the last byte of a compressed stream.
    package var isAtStreamEnd: Bool { stream.isInputEmpty && isBetweenMembers }

    /// True at the end of a block or of a stream, and not within one.
    package var isAtBlockEnd: Bool { isAtStreamEnd || stream.isInputEmpty && stream.isBetweenBlocks }

    private func beginNextStream() throws(SystemLibraryError) {
        switch format {
        case .gzip: try stream.reset(by: stream.functions.inflateReset)
        case .zlib: throw invalid("trailing data after its end")
        // What follows may refer to bytes before the end (RFC 7692, section 7.2.3.5).
        case .raw: try stream.reset(by: stream.functions.inflateResetKeep ?? stream.functions.inflateReset)
        }
        isBetweenMembers = false
    }

    /// Drops the window and unread input, to read data of another compressor.
    package func reset() throws(SystemLibraryError) {
        stream.dropInput()
        try stream.reset(by: stream.functions.inflateReset)
        isBetweenMembers = false
    }

    private func step(_ state: UnsafeMutableRawPointer) throws(SystemLibraryError) -> ZlibStream.Step {
        switch stream.functions.inflate(state, ZlibConstant.noFlush) {
        case ZlibConstant.ok: return .more
        case ZlibConstant.streamEnd:
            isBetweenMembers = true
            return .more
        case ZlibConstant.bufferError: return .end
        case ZlibConstant.dataError, ZlibConstant.needsDictionary: throw invalid("corrupt or of another format")
        case let code:
            throw SystemLibraryError(
                .failed, library: ZlibFunctions.libraryName, "zlib: inflate failed with code \(code).")
        }
    }

    private func invalid(_ problem: String) -> SystemLibraryError {
        SystemLibraryError(.invalidData, library: ZlibFunctions.libraryName, "Invalid compressed data: \(problem).")
    }

    /// Decompresses data in memory.
    /// - Throws: `SystemLibraryError` (`invalidData`), also beyond `limit` bytes.
    package static func inflate(
        _ data: Data, as format: ZlibFormat = .gzip, upTo limit: Int = 64 << 20
    ) throws(SystemLibraryError) -> Data {
        let inflater = try Inflater(format)
        inflater.supply(data)
        inflater.finish()
        var output = Data()
        while let piece = try inflater.read(atMost: 65_536) {
            guard output.count + piece.count <= limit else {
                throw inflater.invalid("decompresses to more than the limit of \(limit) bytes")
            }
            output.append(piece)
        }
        return output
    }
}
