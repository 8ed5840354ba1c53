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

    /// - Parameter part: a scheme, perhaps with data or its first parameter, or a further parameter. Some servers send
    ///   several without commas.
    private func redacted(challengePart part: String) -> String {
        var scanner = FieldScanner(part)
        scanner.skip(while: \.isHTTPWhitespace)
        let first = scanner.takeToken()
        scanner.skip(while: \.isHTTPWhitespace)
        guard !first.isEmpty, let next = scanner.next else { return part }
        if next == UInt8(ascii: "=") {
            scanner.position = 0
        } else if String(Substring(part.utf8.dropFirst(scanner.position))).isToken68 {
            return scanner.text(from: 0) + Self.placeholder
        }
        var output = scanner.text(from: 0)
        if next != UInt8(ascii: "="), let data = scanner.takeData() {
            output += Self.placeholder
            // It may be the name of a parameter, whose value looks like a parameter.
            if forResponseBodies.isSecret(String(data.prefix { $0 != "=" })) { return output }
        }
        while scanner.next != nil {
            let start = scanner.position
            scanner.skip(while: \.isHTTPWhitespace)
            let name = scanner.takeToken()
            let head = scanner.text(from: start)
            guard let value = scanner.takeValue(endingAt: { _ in false }) else {
                // No parameter.
                if name.isEmpty { scanner.skip { !$0.isHTTPWhitespace } }
                output += scanner.text(from: start)
                continue
            }
            let shown = redacted(parameter: value, of: name)
            output += shown == value ? scanner.text(from: start) : "\(head)=\(shown.quotedString)"
        }
        return output
    }

    private func redacted(parameter value: String, of name: String) -> String {
        // Such as an `authorization_uri`.
        let isURL = value.contains("://")
        if !isURL, !value.isEmpty, forResponseBodies.isSecret(name) { return Self.placeholder }
        // Some have several URLs.
        let parts = value.split(separator: " ", omittingEmptySubsequences: false).map { part in
            guard part.contains("://") else { return String(part) }
            return URL(string: String(part)).map { redacted($0) } ?? Self.placeholder
        }
        let text = parts.joined(separator: " ")
        // The others, such as a realm or scopes, are read by clients: `Basic realm="Basic Authentication"`.
        guard name.lowercased() == "error_description" else { return text }
        let shown = forResponseBodies.redacted(line: text)
        return shown == text.onOneLine ? text : shown
    }
}

extension FieldScanner {
    /// Takes data behind a scheme, which parameters follow; not a short word, nor the name of a parameter.
    fileprivate mutating func takeData() -> String? {
        let start = position
        skip { !$0.isHTTPWhitespace }
        let (data, end) = (text(from: start), position)
        skip(while: \.isHTTPWhitespace)
        // One `=` is of a name, unless a parameter follows: then it is padding.
        let isName =
            next == UInt8(ascii: "=")
            || data.contains("=") && !data.hasSuffix("==")
                && (takeToken().isEmpty || takeValue(endingAt: { _ in false }) == nil)
        let isData = data.utf8.count >= 8 && data.isToken68 && !isName
        position = isData ? end : start
        return isData ? data : nil
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
