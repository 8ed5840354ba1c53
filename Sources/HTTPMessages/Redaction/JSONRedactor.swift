import Foundation
import JSON

/// Replaces the secret values in a JSON text, and copies every other byte.
///
/// A recursive-descent parser over bytes: it checks only the structure that it needs, and stops at a text that has
/// another one.
struct JSONRedactor {
    private struct Malformed: Error {}

    /// Levels of arrays, objects and strings that are JSON too, all together. The stack of a small thread has room for
    /// them.
    private static let maximumDepth = JSONScanner.maximumDepth

    private let redaction: Redaction
    private let bytes: [UInt8]
    private var position = 0
    /// The end of the bytes that are in the output.
    private var copied = 0
    private var output: [UInt8] = []

    /// The text with a placeholder for each secret string and 0 for each secret number; nil if it is not an object or
    /// an array. Arrays and objects that are nested deeper than ``maximumDepth`` become the placeholder.
    /// - Parameter depth: the level of the text, in what it is nested in.
    static func redacted(_ text: Data, _ redaction: Redaction, depth: Int) -> Data? {
        guard let first = text.first(where: { !$0.isJSONWhitespace && ![0xEF, 0xBB, 0xBF].contains($0) }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        else { return nil }
        var redactor = JSONRedactor(redaction: redaction, bytes: Array(text))
        do {
            try redactor.document(depth: depth)
        } catch {
            return nil
        }
        guard redactor.copied > 0 else { return text }
        return Data(redactor.output + redactor.bytes[redactor.copied...])
    }

    private init(redaction: Redaction, bytes: [UInt8]) {
        self.redaction = redaction
        self.bytes = bytes
    }

    /// One value, or several with white space between them, as NDJSON has.
    private mutating func document(depth: Int) throws {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipSpace()
        while position < bytes.count {
            try value(isSecret: false, depth: depth)
            skipSpace()
        }
    }

    private var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func skipSpace() {
        while byte.isJSONWhitespace { position += 1 }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: scalar) else { return false }
        position += 1
        skipSpace()
        return true
    }

    private mutating func value(isSecret: Bool, depth: Int) throws {
        let start = position
        switch byte {
        case UInt8(ascii: "{") where depth >= Self.maximumDepth, UInt8(ascii: "[") where depth >= Self.maximumDepth:
            // A secret may be at any depth.
            guard let end = bytes.bracketEnd(from: start) else { throw Malformed() }
            position = end
            replace(from: start, by: Redaction.placeholder)
        case UInt8(ascii: "{"):
            _ = take("{")
            try list(until: "}") { redactor in
                guard redactor.byte == UInt8(ascii: "\"") else { throw Malformed() }
                let start = redactor.position
                let name = try redactor.string()
                // A name that is a URL may have a user.
                if let name, name.utf8.contains(UInt8(ascii: ":")), name.contains("://") {
                    redactor.replaceSecrets(in: name, from: start, depth: depth)
                }
                redactor.skipSpace()
                guard redactor.take(":") else { throw Malformed() }
                let isNamedSecret = name.map { redactor.redaction.isSecret($0) } ?? false
                try redactor.value(isSecret: isSecret || isNamedSecret, depth: depth + 1)
            }
        case UInt8(ascii: "["):
            _ = take("[")
            try list(until: "]") { try $0.value(isSecret: isSecret, depth: depth + 1) }
        case UInt8(ascii: "\""):
            let text = try string()
            if isSecret {
                if position - start > 2 { replace(from: start, by: Redaction.placeholder) }
            } else if let text, text.utf8.contains(where: \.maySeparate) {
                replaceSecrets(in: text, from: start, depth: depth)
            }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            while byte.isInJSONNumber { position += 1 }
            if isSecret {
                output += bytes[copied..<start]
                output.append(UInt8(ascii: "0"))
                copied = position
            }
        case UInt8(ascii: "a")...UInt8(ascii: "z"):
            while UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte { position += 1 }
        default:
            throw Malformed()
        }
    }

    private mutating func list(
        until end: Unicode.Scalar, _ element: (inout JSONRedactor) throws -> Void
    ) throws {
        if take(end) { return }
        repeat {
            try element(&self)
            skipSpace()
        } while take(",")
        guard byte == UInt8(ascii: end) else { throw Malformed() }
        position += 1
    }

    /// Reads a string; nil if its escapes are invalid.
    private mutating func string() throws -> String? {
        let start = position
        guard let end = bytes.stringEnd(from: start + 1) else { throw Malformed() }
        position = end
        let content = bytes[(start + 1)..<(end - 1)]
        guard content.contains(UInt8.backslash) else { return String(decoding: content, as: UTF8.self) }
        return (try? JSONValue(parsing: Data(bytes[start..<end])))?.string
    }

    /// Replaces the secrets in the string that ends here.
    private mutating func replaceSecrets(in text: String, from start: Int, depth: Int) {
        let changed = redaction.redacted(text: text, depth: depth + 1)
        if changed != text { replace(from: start, by: changed) }
    }

    private mutating func replace(from start: Int, by text: String) {
        output += bytes[copied..<start]
        output += Array(JSONValue.string(text).description.utf8)
        copied = position
    }
}

extension UInt8 {
    /// True for what stands between a name and its value, before a key, and in names of schemes before credentials.
    fileprivate var maySeparate: Bool {
        self == UInt8(ascii: "=") || self == UInt8(ascii: ":") || self == UInt8(ascii: "<") || self == UInt8(ascii: " ")
            || self == UInt8(ascii: "(") || self == UInt8(ascii: "%")
    }

    fileprivate var isInJSONNumber: Bool {
        (0x30...0x39).contains(self) || "+-.eE".utf8.contains(self)
    }
}
