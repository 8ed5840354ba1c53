import Foundation

/// What surrounds the compressed bytes.
package enum ZlibFormat: Sendable {
    /// The gzip format (RFC 1952), HTTP's `gzip`.
    case gzip
    /// The zlib format (RFC 1950), HTTP's `deflate`.
    case zlib

    var windowBits: CInt {
        switch self {
        case .gzip: 15 + 16
        case .zlib: 15
        }
    }
}

/// A stream of zlib's and the input that it has not taken yet. It holds one piece of input and makes one piece of
/// output at a time, whatever the sizes of both streams.
///
/// zlib remembers the address of its state, hence the allocation.
final class ZlibStream {
    enum Step { case more, end }

    let functions: ZlibFunctions
    private let state: UnsafeMutablePointer<ZlibStreamState>
    private let end: ZlibFunctions.End
    private var input = Data()
    private var isStarted = false
    /// True when no more input will come.
    private(set) var isInputComplete = false

    /// - Parameters:
    ///   - start: calls zlib's initialiser with the state, its size and the library's version.
    ///   - end: frees what `start` made.
    init(
        functions: ZlibFunctions, end: ZlibFunctions.End,
        start: (UnsafeMutableRawPointer, UnsafePointer<CChar>?, CInt) -> CInt
    ) throws(SystemLibraryError) {
        self.functions = functions
        self.end = end
        state = .allocate(capacity: 1)
        state.initialize(to: .empty)
        let code = start(state, functions.version(), CInt(MemoryLayout<ZlibStreamState>.size))
        guard code == ZlibConstant.ok else {
            throw SystemLibraryError(
                .failed, library: ZlibFunctions.libraryName, "zlib cannot start a stream (code \(code)).")
        }
        isStarted = true
    }

    deinit {
        if isStarted { _ = end(state) }
        state.deinitialize(count: 1)
        state.deallocate()
    }

    var isInputEmpty: Bool { input.isEmpty }

    func supply(_ data: Data) {
        if input.isEmpty { input = data } else { input.append(data) }
    }

    func completeInput() { isInputComplete = true }

    /// Starts a new stream behind the end of one that was being read.
    func reset() throws(SystemLibraryError) {
        let code = functions.inflateReset(state)
        guard code == ZlibConstant.ok else {
            throw SystemLibraryError(
                .failed, library: ZlibFunctions.libraryName, "zlib cannot start a stream (code \(code)).")
        }
    }

    /// Runs `step` until `count` bytes are made, the input is used up, or the stream ends.
    /// - Parameter step: one call of zlib's, and what to make of its code; `.end` stops the loop. It hears whether
    ///   the input that zlib has is the last.
    func run(
        atMost count: Int, step: (UnsafeMutableRawPointer, Bool) throws(SystemLibraryError) -> Step
    ) throws(SystemLibraryError) -> Data {
        // One piece never needs more, and zlib counts in 32 bits.
        let capacity = min(max(count, 1), 1 << 20)
        var output = Data(count: capacity)
        // Foundation's closures lose the type of the error, hence the results.
        let made = try output.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemLibraryError) in
                try fill(buffer.assumingMemoryBound(to: UInt8.self), step: step)
            }
        }.get()
        output.removeLast(capacity - made)
        return output
    }

    private func fill(
        _ output: UnsafeMutableBufferPointer<UInt8>,
        step: (UnsafeMutableRawPointer, Bool) throws(SystemLibraryError) -> Step
    ) throws(SystemLibraryError) -> Int {
        let inputCount = min(input.count, 1 << 30)
        let isLast = isInputComplete && inputCount == input.count
        let made = try input.withUnsafeBytes { buffer in
            Result { () throws(SystemLibraryError) in
                // zlib does not write to its input; the header's type is not const for historical reasons.
                state.pointee.nextIn = buffer.baseAddress.map {
                    UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self))
                }
                state.pointee.availableIn = CUnsignedInt(inputCount)
                state.pointee.nextOut = output.baseAddress
                state.pointee.availableOut = CUnsignedInt(output.count)
                while state.pointee.availableOut > 0, try step(state, isLast) == .more {
                    if state.pointee.availableIn == 0, state.pointee.availableOut > 0 { break }
                }
                return output.count - Int(state.pointee.availableOut)
            }
        }.get()
        let left = Int(state.pointee.availableIn)
        input = left == 0 && inputCount == input.count ? Data() : input.dropFirst(inputCount - left)
        return made
    }
}
