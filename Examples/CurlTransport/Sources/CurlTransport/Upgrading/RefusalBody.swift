import Foundation
import HTTPMessages

/// The body of a response that refuses an upgrade, as it arrives (RFC 9112, section 6).
///
/// ```
/// length   -bytes->        length, or complete
/// size     -line->         chunk, or trailer for a chunk of 0
/// chunk    -bytes->        chunk, or chunkEnd
/// chunkEnd -line->         size
/// trailer  -empty line->   complete
/// ```
struct RefusalBody {
    struct Invalid: Error {}

    private enum Phase {
        case length(Int64)
        case untilClosed
        case size
        case chunk(Int)
        case chunkEnd
        case trailer
        case complete
    }

    private(set) var bytes = Data()
    private var phase: Phase
    private var pending = ReceivedBytes()
    /// The number of bytes of the trailer section.
    private var trailerCount = 0
    private static let maximumLine = 8 << 10
    private static let maximumTrailers = 64 << 10

    init(hasBody: Bool, _ framing: BodyFraming) {
        switch framing {
        case .length(let count) where hasBody && count > 0: phase = .length(count)
        case .chunked where hasBody: phase = .size
        case .untilClosed where hasBody: phase = .untilClosed
        default: phase = .complete
        }
    }

    var isComplete: Bool { if case .complete = phase { true } else { false } }
    var endsWithConnection: Bool { if case .untilClosed = phase { true } else { false } }

    mutating func append(_ data: Data) throws(Invalid) {
        pending.append(data)
        while true {
            switch phase {
            case .complete: return
            case .untilClosed: return bytes.append(pending.read(atMost: .max))
            case .length(let left):
                let part = pending.read(atMost: Int(clamping: left))
                bytes.append(part)
                phase = left > part.count ? .length(left - Int64(part.count)) : .complete
                if !isComplete { return }
            case .chunk(let left):
                let part = pending.read(atMost: left)
                bytes.append(part)
                phase = left > part.count ? .chunk(left - part.count) : .chunkEnd
                if left > part.count { return }
            case .size, .chunkEnd, .trailer:
                guard let line = pending.readLine() else {
                    guard pending.count <= Self.maximumLine else { throw Invalid() }
                    return
                }
                try handle(line)
            }
        }
    }

    private mutating func handle(_ bytes: Data) throws(Invalid) {
        guard bytes.count <= Self.maximumLine else { throw Invalid() }
        let line = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        switch phase {
        case .chunkEnd:
            guard line.isEmpty else { throw Invalid() }
            phase = .size
        case .trailer:
            trailerCount += bytes.count
            guard trailerCount <= Self.maximumTrailers else { throw Invalid() }
            if line.isEmpty { phase = .complete }
        default:
            let digits = line.prefix { $0.isHexDigit }
            guard !digits.isEmpty, digits.utf8.count <= 15, let size = Int(digits, radix: 16) else { throw Invalid() }
            phase = size == 0 ? .trailer : .chunk(size)
        }
    }
}
