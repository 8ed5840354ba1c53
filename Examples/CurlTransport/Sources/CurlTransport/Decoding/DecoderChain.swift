/// Decodes two codings, one after the other.
final class DecoderChain: ContentDecoder {
    /// Bytes that ``first`` may return for each byte of ``second``, and in a row without one (leaky bucket).
    ///
    /// Data that is coded again hardly grows. If it does, its decoding would occupy the event thread, and
    /// `maximumResponseBytes` counts only the output of ``second``.
    private static let maximumAllowance = 1 << 20
    private static let maximumRatio = 2

    private let first: any ContentDecoder
    private let second: any ContentDecoder
    /// Output of ``first``.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)
    /// The part of ``buffer`` that ``second`` has not consumed.
    private var unread = 0..<0
    /// True when ``first`` may have more output without further input.
    private var isFirstPending = false
    /// True when ``second`` may have more output without further input.
    private var isSecondPending = false
    private var allowance = maximumAllowance

    /// - Parameters:
    ///   - first: decodes the coding that was applied last.
    ///   - second: decodes the output of `first`.
    init(_ first: any ContentDecoder, then second: any ContentDecoder) {
        self.first = first
        self.second = second
    }

    deinit { buffer.deallocate() }

    var isComplete: Bool { first.isComplete && second.isComplete }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(InvalidCoding) -> Int {
        var count = 0
        do throws(InvalidCoding) {
            while count < output.count {
                count += try decodeUnread(into: UnsafeMutableRawBufferPointer(rebasing: output[count...]))
                guard unread.isEmpty, count < output.count else { continue }
                guard try fill(from: &input) else { break }
            }
        } catch {
            throw InvalidCoding(decoded: count + error.decoded)
        }
        return count
    }

    private func decodeUnread(into output: UnsafeMutableRawBufferPointer) throws(InvalidCoding) -> Int {
        // The decoder of zstd fails after several calls that neither take nor return bytes.
        guard !unread.isEmpty || isSecondPending else { return 0 }
        var rest = UnsafeRawBufferPointer(rebasing: buffer[unread])
        let count = try second.decode(&rest, into: output)
        isSecondPending = count == output.count
        // A decoder must make progress, or this would not end.
        if count == 0, !unread.isEmpty, rest.count == unread.count { throw InvalidCoding() }
        unread = (unread.upperBound - rest.count)..<unread.upperBound
        allowance = min(allowance + count * Self.maximumRatio, Self.maximumAllowance)
        return count
    }

    /// - Returns: false when ``first`` needs further input.
    private func fill(from input: inout UnsafeRawBufferPointer) throws(InvalidCoding) -> Bool {
        guard !input.isEmpty || isFirstPending else { return false }
        let before = input.count
        let count: Int
        // What precedes the invalid bytes is not content yet.
        do { count = try first.decode(&input, into: buffer) } catch { throw InvalidCoding() }
        unread = 0..<count
        isFirstPending = count == buffer.count
        allowance -= count
        guard allowance >= 0 else { throw InvalidCoding() }
        return count > 0 || input.count < before
    }
}
