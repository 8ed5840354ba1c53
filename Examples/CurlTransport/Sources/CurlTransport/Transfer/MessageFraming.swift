import HTTPMessages

/// The fields that say where a body ends (RFC 9112, section 6).
enum MessageFraming {
    /// Returns the problem of a head whose body has no reliable end; nil if there is none.
    static func problem(of fields: HTTPFields, isHTTP2: Bool) -> String? {
        // Most heads: one length of digits.
        if !fields.contains(.transferEncoding) {
            let lengths = fields.values(of: .contentLength)
            if lengths.isEmpty || lengths.count == 1 && lengths[0].utf8.count < 19 && lengths[0].isDecimal {
                return nil
            }
        }
        let codings = isHTTP2 ? [] : elements(of: fields.values(of: .transferEncoding))
        guard codings.isEmpty else {
            let isKnown = codings == ["chunked"] || codings == ["identity"]
            return isKnown
                ? nil
                : "Response has a transfer coding that was not requested: \(codings.joined(separator: ", ").quoted)"
        }
        let lengths = elements(of: fields.values(of: .contentLength))
        guard let first = lengths.first else { return nil }
        guard lengths.allSatisfy({ $0 == first }) else { return "Response has several values of Content-Length" }
        guard first.isDecimal, Int64(first) != nil else {
            return "Response has an invalid Content-Length: \(first.quoted)"
        }
        return nil
    }

    /// True for a name that a server or proxy may take for one of these fields, and libcurl does not.
    static func isAmbiguous(_ name: String) -> Bool {
        let trimmed = name.trimmingSpaces.lowercased()
        return trimmed != name.lowercased() && ["transfer-encoding", "content-length"].contains(trimmed)
    }

    private static func elements(of values: [String]) -> [String] {
        values.flatMap { value in
            value.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingSpaces.lowercased() }
        }
    }
}

extension StringProtocol {
    /// True for one or more digits.
    fileprivate var isDecimal: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }

    fileprivate var trimmingSpaces: String {
        var rest = self[...]
        while let first = rest.first, first == " " || first == "\t" { rest = rest.dropFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest = rest.dropLast() }
        return String(rest)
    }

    /// The start of the text, in quotes.
    fileprivate var quoted: String { String(prefix(40)).debugDescription }
}
