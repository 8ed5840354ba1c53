import Foundation
import HTTPMessages

/// Collects the header lines that libcurl delivers, one call each: interim heads, the head, trailers.
///
/// ```
/// idle     -status line->              head
/// head     -field line->               head
/// head     -empty line, 1xx->          idle
/// head     -empty line->               body      (returns the head)
/// body     -field line->               body      (a trailer)
/// body     -status line->              head      (libcurl sends the request again)
/// ```
struct ResponseHeadParser {
    enum Line: Hashable {
        case none
        case trailer
        /// The head is complete; see ``status`` and ``fields``.
        case head
        /// The line is not part of an HTTP response; the text says why.
        case invalid(String)
    }

    private enum Phase {
        case idle
        case head
        case body
    }

    /// libcurl has this limit since version 8.1.
    private static let maximumHeadSize = 300 << 10
    private static let maximumInterimHeads = 100
    private static let usualFieldCount = 12

    /// True for a request that asks for another protocol: a head with status 101 is then the response.
    var allowsSwitching = false
    private var phase = Phase.idle
    private var size = 0
    private var interimHeads = 0
    private(set) var status = HTTPStatus.ok
    private(set) var isHTTP2 = false
    private(set) var fields = HTTPFields()
    private(set) var trailers = HTTPFields()
    /// The last field, until the next line shows that it is not continued; without a name if its name is invalid.
    private var pending: (name: HTTPFieldName?, value: String)?

    /// True between a status line and the end of its head.
    var isInHead: Bool { phase == .head }

    /// Handles a line with its line break.
    mutating func parse(_ bytes: UnsafeRawBufferPointer) -> Line {
        size += bytes.count
        guard size <= Self.maximumHeadSize else {
            return .invalid("Response head is larger than \(Self.maximumHeadSize) bytes")
        }
        let line = bytes.withoutLineBreak
        if line.isStatusLine { return start(line) }
        guard phase != .idle else { return .invalid("Response does not start with a status line") }
        if line.isEmpty { return endLines() }
        if line[0].isBlank { return fold(line) }
        flush()
        guard let base = line.baseAddress, let found = memchr(base, 0x3A, line.count) else {
            return .invalid("Response head has a line without a colon")
        }
        let colon = UnsafeRawPointer(found) - base
        // A field with an invalid name or value is skipped with its continuation lines, as browsers do.
        let nameBytes = UnsafeRawBufferPointer(rebasing: line[..<colon])
        let name = Self.name(nameBytes)
        if name == nil, BodyFraming.isMisread(String(decoding: nameBytes, as: UTF8.self)) {
            return .invalid("Response head has whitespace before a colon")
        }
        pending = (name, Self.text(of: line.trimmed(from: colon + 1), isReference: name == .location))
        return phase == .body ? .trailer : .none
    }

    private mutating func start(_ line: UnsafeRawBufferPointer) -> Line {
        guard let space = line.firstIndex(of: 0x20), line.count >= space + 4,
            let code = Int(String(decoding: line[(space + 1)..<(space + 4)], as: UTF8.self)),
            let status = HTTPStatus(code)
        else { return .invalid("Response has an invalid status line") }
        phase = .head
        size = line.count
        isHTTP2 = line[5] == UInt8(ascii: "2")
        self.status = status
        fields = HTTPFields()
        fields.reserveCapacity(Self.usualFieldCount)
        trailers = HTTPFields()
        pending = nil
        return .none
    }

    private mutating func endLines() -> Line {
        flush()
        guard phase == .head else { return .none }
        size = 0
        if status.code == 101, allowsSwitching {
            phase = .body
            return .head
        }
        guard status.kind != .informational else {
            // No request asks for another protocol.
            if status.code == 101 { return .invalid("Server switched protocols (101) without a request for it") }
            interimHeads += 1
            guard interimHeads <= Self.maximumInterimHeads else {
                return .invalid("Response has more than \(Self.maximumInterimHeads) interim heads")
            }
            phase = .idle
            return .none
        }
        phase = .body
        return .head
    }

    /// Handles a continuation line (RFC 9112, section 5.2).
    private mutating func fold(_ line: UnsafeRawBufferPointer) -> Line {
        guard let (name, _) = pending else { return .invalid("Response head starts with a continuation line") }
        // In place: a copy for each line would take quadratic time.
        pending?.value += " " + Self.text(of: line.trimmed(from: 0), isReference: name == .location)
        return phase == .body ? .trailer : .none
    }

    /// Handles the end of the response: libcurl delivers no empty line after the trailers.
    mutating func end() { flush() }

    private mutating func flush() {
        guard let (name, value) = pending.take(), let name else { return }
        if phase == .body { try? trailers.append(name, value) } else { try? fields.append(name, value) }
    }

    /// Decodes a value. Bytes that are not UTF-8 become code points of the same numbers (ISO 8859-1), so that none is
    /// lost; in a URI they are percent-encoded, so that it keeps its meaning (RFC 3986, section 2.1).
    private static func text(of bytes: UnsafeRawBufferPointer, isReference: Bool) -> String {
        // Almost all are ASCII, which needs no validation.
        if bytes.reduce(0, |) < 0x80 { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return bytes.reduce(into: "") { text, byte in
            if isReference, byte >= 0x80 {
                text += "%" + String(byte, radix: 16, uppercase: true)
            } else {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
    }

    private static func name(_ bytes: UnsafeRawBufferPointer) -> HTTPFieldName? {
        KnownFieldNames.common.name(bytes) ?? (try? HTTPFieldName(String(decoding: bytes, as: UTF8.self)))
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var withoutLineBreak: UnsafeRawBufferPointer {
        var end = count
        if end > 0, self[end - 1] == 0x0A { end -= 1 }
        if end > 0, self[end - 1] == 0x0D { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[..<end])
    }

    fileprivate var isStatusLine: Bool {
        count >= 5 && self[0] == 0x48 && self[1] == 0x54 && self[2] == 0x54 && self[3] == 0x50 && self[4] == 0x2F
    }

    /// The bytes from an index to the end, without leading and trailing whitespace.
    fileprivate func trimmed(from start: Int) -> UnsafeRawBufferPointer {
        var (start, end) = (start, count)
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}
