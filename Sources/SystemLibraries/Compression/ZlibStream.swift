import Foundation

/// Container format of compressed data.
package enum ZlibFormat: Hashable, Sendable {
    /// The gzip format (RFC 1952), HTTP's `gzip`.
    case gzip
    /// The zlib format (RFC 1950), HTTP's `deflate`.
    case zlib
    /// DEFLATE without a container (RFC 1951), with a window of 2 to the power of 9 to 15 bytes.
    case raw(windowBits: Int)

    var windowBits: CInt {
        switch self {
        case .gzip: 15 + 16
        case .zlib: 15
        // zlib's way to ask for no container.
        case .raw(let bits): -CInt(min(max(bits, 9), 15))
        }
    }
}

/// A `z_stream`, its unconsumed input, and a buffer for output pieces.
///
/// The state is allocated on the heap, because zlib stores its address.
final class ZlibStream {
    enum Step { case more, end }

    let functions: ZlibFunctions
    private let state: UnsafeMutablePointer<ZlibStreamState>
    private let end: ZlibFunctions.End
    private var input = Data()
    /// Memory for output, kept: to make and to clear it for each piece would cost more than small pieces.
    private var output = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    private var isStarted = false
    /// True after the last input was supplied.
    private(set) var isInputComplete = false

    /// - Parameters:
    ///   - start: calls zlib's init function with the state, the library's version and the size of the state.
    ///   - end: releases what `start` allocated.
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
                .failed, library: ZlibFunctions.libraryName, "zlib: initialization failed with code \(code).")
        }
        isStarted = true
    }

    deinit {
        if isStarted { _ = end(state) }
        state.deinitialize(count: 1)
        state.deallocate()
        output.deallocate()
    }

    var isInputEmpty: Bool { input.isEmpty }
    var inputCount: Int { input.count }

    /// True when the decompressor has read a block to its end, and nothing of the next one.
    var isBetweenBlocks: Bool { state.pointee.dataType & ZlibConstant.blockEnd != 0 }

    func supply(_ data: Data) {
        if input.isEmpty { input = data } else { input.append(data) }
    }

    /// Drops input that was not consumed.
    func dropInput() { input = Data() }

    func completeInput() { isInputComplete = true }

    /// Resets the compressor or the decompressor for another stream.
    /// - Parameter function: zlib's function for that.
    func reset(by function: ZlibFunctions.End) throws(SystemLibraryError) {
        let code = function(state)
        guard code == ZlibConstant.ok else {
            throw SystemLibraryError(
                .failed, library: ZlibFunctions.libraryName, "zlib: initialization failed with code \(code).")
        }
    }

    /// Runs `step` until `count` bytes are produced, the input is consumed, or the stream ends.
    /// - Parameter step: one zlib call, which maps its result code; `.end` stops the loop. Its second argument is true
    ///   if zlib has the last input.
    func run(
        atMost count: Int, step: (UnsafeMutableRawPointer, Bool) throws(SystemLibraryError) -> Step
    ) throws(SystemLibraryError) -> Data {
        // At most 1 MiB per piece; zlib counts in 32 bits.
        let capacity = min(max(count, 1), 1 << 20)
        if output.count < capacity {
            output.deallocate()
            output = .allocate(capacity: capacity)
        }
        let piece = UnsafeMutableBufferPointer(rebasing: output[..<capacity])
        let made = try fill(piece, step: step)
        return Data(buffer: UnsafeBufferPointer(rebasing: piece[..<made]))
    }

    private func fill(
        _ output: UnsafeMutableBufferPointer<UInt8>,
        step: (UnsafeMutableRawPointer, Bool) throws(SystemLibraryError) -> Step
    ) throws(SystemLibraryError) -> Int {
        let inputCount = min(input.count, 1 << 30)
        let isLast = isInputComplete && inputCount == input.count
        // `withUnsafeBytes` has untyped throws, so the error travels in a Result.
        let made = try input.withUnsafeBytes { buffer in
            Result { () throws(SystemLibraryError) in
                // zlib does not write to its input; `next_in` is not const for historical reasons.
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
