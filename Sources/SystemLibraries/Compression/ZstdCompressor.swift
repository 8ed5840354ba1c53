package import Foundation

/// Incremental Zstandard compressor (RFC 8878), used by one thread at a time.
package final class ZstdCompressor: StreamCompressor {
    private let functions: ZstdFunctions
    private let context: OpaquePointer
    private var input = Data()
    private var isInputComplete = false
    package private(set) var isAtEnd = false

    /// - Parameter level: 1 (fastest) to 9; 0 counts as 1.
    /// - Throws: `SystemLibraryError` if libzstd is missing (`missingLibrary`) or lacks memory (`failed`).
    package init(level: Int = 3) throws(SystemLibraryError) {
        functions = try ZstdFunctions.system.get()
        guard let context = functions.newContext() else {
            throw SystemLibraryError(.failed, library: ZstdFunctions.libraryName, "zstd: out of memory.")
        }
        self.context = context
        try check(functions.setParameter(context, ZstdConstant.compressionLevel, CInt(clamping: max(1, level))))
    }

    deinit { _ = functions.freeContext(context) }

    /// Checks that libzstd can be loaded.
    /// - Throws: `SystemLibraryError` (`missingLibrary`, `missingFunction`).
    package static func checkAvailability() throws(SystemLibraryError) { _ = try ZstdFunctions.system.get() }

    package func supply(_ data: Data) {
        if input.isEmpty { input = data } else { input.append(data) }
    }

    package func finish() { isInputComplete = true }

    package func read(atMost count: Int) throws(SystemLibraryError) -> Data? {
        if isAtEnd || input.isEmpty && !isInputComplete { return nil }
        let end = isInputComplete ? ZstdConstant.end : ZstdConstant.proceed
        let (output, rest) = try run(atMost: count, end)
        isAtEnd = isInputComplete && rest == 0
        return output.isEmpty ? nil : output
    }

    package func flush() throws(SystemLibraryError) -> Data {
        guard !isAtEnd else { return Data() }
        var output = Data()
        var rest: Int
        repeat {
            let piece: Data
            (piece, rest) = try run(atMost: 65_536, ZstdConstant.flush)
            output.append(piece)
        } while rest > 0
        return output
    }

    /// Compresses until `count` bytes are made, or `directive` is done.
    /// - Returns: the bytes, and a number that is 0 once the library holds back no bytes.
    private func run(atMost count: Int, _ directive: CInt) throws(SystemLibraryError) -> (output: Data, rest: Int) {
        // At most 1 MiB per piece.
        let capacity = min(max(count, 1), 1 << 20)
        var output = Data(count: capacity)
        let (result, consumed, made) = output.withUnsafeMutableBytes { output in
            input.withUnsafeBytes { input in
                // zstd does not write to its input.
                var source = ZstdBuffer(bytes: UnsafeMutableRawPointer(mutating: input.baseAddress), size: input.count)
                var target = ZstdBuffer(bytes: output.baseAddress, size: output.count)
                var result = 0
                repeat {
                    result = functions.compress(context, &target, &source, directive)
                } while functions.isError(result) == 0 && target.position < target.size
                    && (source.position < source.size || directive != ZstdConstant.proceed && result > 0)
                return (result, source.position, target.position)
            }
        }
        try check(result)
        input = consumed == input.count ? Data() : input.dropFirst(consumed)
        output.removeLast(capacity - made)
        return (output, result)
    }

    private func check(_ result: Int) throws(SystemLibraryError) {
        guard functions.isError(result) != 0 else { return }
        // A `size_t` near its maximum is a negated code.
        throw SystemLibraryError(
            .failed, library: ZstdFunctions.libraryName, "zstd: compression failed with code \(0 &- result).")
    }
}
