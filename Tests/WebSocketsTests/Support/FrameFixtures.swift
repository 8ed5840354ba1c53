import Foundation
import Testing

@testable import WebSockets

/// Bytes from hexadecimal text; whitespace is ignored.
func hex(_ text: String) -> Data {
    let digits = text.filter { !$0.isWhitespace }
    return Data(
        stride(from: 0, to: digits.count, by: 2).map { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            return UInt8(digits[start...digits.index(after: start)], radix: 16) ?? 0
        })
}

/// What a decoder makes of bytes: its events, then its error.
struct Decoded: Equatable {
    var events: [FrameEvent] = []
    var code: WebSocketError.Code?
    var closeCode: WebSocketCloseCode?

    init(
        _ pieces: [Data], role: WebSocketRole = .client, limit: Int = 16 << 20, compression: CompressionAgreement? = nil
    ) throws {
        var decoder = FrameDecoder(role: role, limit: limit, inflater: try compression?.inflater(for: role))
        do throws(WebSocketError) {
            for piece in pieces {
                decoder.supply(piece)
                while let event = try decoder.next() { events.append(event) }
            }
        } catch {
            (code, closeCode) = (error.code, error.closeCode)
        }
    }
}

/// A frame as a peer may write it, valid or not.
struct RawFrame {
    var first: UInt8
    var payload = Data()
    var mask: [UInt8]?

    var bytes: Data {
        var bytes = Data([first])
        let masked: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case ...125: bytes.append(masked | UInt8(payload.count))
        case ...0xFFFF: bytes += [masked | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default:
            bytes.append(masked | 127)
            withUnsafeBytes(of: UInt64(payload.count).bigEndian) { bytes.append(contentsOf: $0) }
        }
        if let mask {
            bytes += mask
            bytes += payload.enumerated().map { $1 ^ mask[$0 % 4] }
        } else {
            bytes += payload
        }
        return bytes
    }
}
