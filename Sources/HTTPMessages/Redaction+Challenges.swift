import Foundation

extension Redaction {
    /// Returns the value of `WWW-Authenticate` or `Proxy-Authenticate` without secrets.
    ///
    /// The data of schemes such as Negotiate is a token. URLs in the values of parameters are redacted.
    func redacted(challenges value: String) -> String {
        var scanner = FieldScanner(value)
        var output = ""
        while scanner.next != nil {
            let start = scanner.position
            scanner.skipUnquoted { $0 == UInt8(ascii: ",") }
            output += redacted(challengePart: scanner.text(from: start))
            if scanner.take(",") { output += "," }
        }
        return output
    }

    /// - Parameter part: a scheme, perhaps with data or its first parameter, or a further parameter.
    private func redacted(challengePart part: String) -> String {
        var scanner = FieldScanner(part)
        scanner.skip(while: \.isHTTPWhitespace)
        var name = scanner.takeToken()
        var head = scanner.text(from: 0)
        scanner.skip(while: \.isHTTPWhitespace)
        guard !name.isEmpty, let next = scanner.next else { return part }
        let isScheme = next != UInt8(ascii: "=")
        if isScheme {
            let scheme = scanner.text(from: 0)
            if String(Substring(part.utf8.dropFirst(scanner.position))).isToken68 { return scheme + Self.placeholder }
            name = scanner.takeToken()
            head = scanner.text(from: 0)
        } else {
            // Back to the equals sign, with the space before it.
            scanner.position = head.utf8.count
        }
        guard let value = scanner.takeValue(endingAt: { _ in false }) else { return part }
        let redacted = redacted(parameter: value, of: name)
        return redacted == value ? part : "\(head)=\(redacted.quotedString)"
    }

    private func redacted(parameter value: String, of name: String) -> String {
        guard value.contains("://") else {
            return !value.isEmpty && forResponseBodies.isSecret(name) ? Self.placeholder : value
        }
        // Some have several.
        return value.split(separator: " ", omittingEmptySubsequences: false).map { part in
            guard part.contains("://") else { return String(part) }
            return URL(string: String(part)).map { redacted($0) } ?? Self.placeholder
        }
        .joined(separator: " ")
    }
}

extension String {
    /// True for the data of a challenge (RFC 9110, section 11.2).
    fileprivate var isToken68: Bool {
        let text = trimmingHTTPWhitespace
        var isPadding = false
        return !text.isEmpty
            && text.utf8.allSatisfy { byte in
                if byte == UInt8(ascii: "=") { isPadding = true }
                return byte == UInt8(ascii: "=") || !isPadding && (byte.isHTTPTokenByte || byte == UInt8(ascii: "/"))
            }
    }
}
