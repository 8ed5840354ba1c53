package import Foundation

extension Redaction {
    /// The policy for bodies of responses: the standard one without `code`.
    ///
    /// There a code is the kind of an error or a status, such as `errorCode`; in a request it may be an authorization
    /// code. The codes that OAuth's servers issue have names of their own. A policy of the app applies as it is.
    package var forResponseBodies: Redaction { self == .standard ? Self.standardForResponses : self }

    private static let standardForResponses = Redaction(words: standard.words.subtracting(["code"]))

    /// Returns a body with its secret values replaced, for logs and files.
    ///
    /// Of JSON only the values of secret names and secrets in other texts and in names that are URLs change: text
    /// becomes the placeholder and a number 0, so that the body can still be decoded. Forms and multipart bodies are
    /// redacted by the names of their parts. Other text is scanned for names with `:` or `=`, XML elements,
    /// credentials, users of URLs and keys of entities. Bytes that are neither UTF-8 nor declared as text stay as they
    /// are.
    package func redacted(body: Data, as mediaType: MediaType?) -> Data {
        redacted(body: body, as: mediaType, depth: 0)
    }

    /// Returns a text with its secret values replaced, as that of a body of unknown type.
    package func redacted(text: String) -> String { redacted(text: text, depth: 0) }

    /// - Parameter depth: the level of the text: in parts of a multipart body, in JSON, and in its strings.
    func redacted(text: String, depth: Int) -> String {
        String(decoding: redacted(body: Data(text.utf8), as: nil, depth: depth), as: UTF8.self)
    }

    private func redacted(body: Data, as mediaType: MediaType?, depth: Int) -> Data {
        guard !body.isEmpty else { return body }
        let isForm = mediaType?.essence == "application/x-www-form-urlencoded"
        let isText =
            isForm || mediaType?.type == "text" || mediaType?.isJSON == true
            || mediaType?.subtype.hasSuffix("xml") == true
        if let encoding = body.wideEncoding(mediaType) {
            if let text = String(data: body, encoding: encoding) {
                let changed = redacted(text: text, depth: depth)
                // Else the bytes may be in another encoding than their type says.
                if changed != text { return changed.data(using: encoding) ?? Data(Self.placeholder.utf8) }
            } else if isText || mediaType == nil {
                // Unreadable text may hide a secret.
                return Data(Self.placeholder.utf8)
            }
        }
        // A NUL makes no text binary: it would hide the secrets beside it.
        if isForm { return redacted(form: body) }
        if mediaType?.type == "multipart",
            let boundary = mediaType?.parameters.first(where: { $0.name == "boundary" })?.value
        {
            // Deeper than any format nests them, or a longer one than RFC 2046 permits: a secret may be anywhere.
            guard depth < 4, boundary.utf8.count <= 70 else { return Data(Self.placeholder.utf8) }
            return redacted(multipart: body, boundary: Data(boundary.utf8), depth: depth)
        }
        if mediaType?.essence == "text/event-stream" { return redacted(events: body, depth: depth) }
        if let json = JSONRedactor.redacted(body, self, depth: depth) { return json }
        guard isText || String(validating: body, as: UTF8.self) != nil else { return body }
        return Data(SecretScanner.redacted(body, self))
    }

    /// Each line of server-sent events by itself: the data of most is JSON.
    private func redacted(events: Data, depth: Int) -> Data {
        let data = Data("data:".utf8)
        let lines = events.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line -> Data in
            guard line.starts(with: data) else { return Data(SecretScanner.redacted(line, self)) }
            let start = line.dropFirst(data.count).prefix { $0 == 0x20 }
            let content = Data(line.dropFirst(data.count + start.count))
            return data + start + redacted(body: content, as: .plainText, depth: depth + 1)
        }
        return Data(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    private func redacted(form: Data) -> Data {
        let text = String(decoding: form, as: UTF8.self)
        let changed = text[...].parts(at: "&").map { redacted(pair: $0) }.joined(separator: "&")
        return changed == text ? form : Data(changed.utf8)
    }

    /// A name and a value of a form or a query.
    func redacted(pair: Substring) -> String {
        let name = pair.part(before: "=")
        guard name.endIndex < pair.endIndex else {
            // A text that is no form.
            return hasSecret(inValue: pair.replacing("+", with: " ").decodedLeniently) ? Self.placeholder : String(pair)
        }
        let value = pair[pair.utf8.index(after: name.endIndex)...]
        guard !value.isEmpty, value != Self.placeholder else { return String(pair) }
        let isHidden =
            isSecret(name.replacing("+", with: " ").decodedLeniently)
            || hasSecret(inValue: value.replacing("+", with: " ").decodedLeniently)
        return isHidden ? "\(name)=\(Self.placeholder)" : String(pair)
    }

    /// True if a decoded value of a pair has a secret. A URL in it may have a further one, which is encoded again.
    package func hasSecret(inValue value: String) -> Bool {
        var text = value
        for _ in 0..<4 {
            if text == Self.placeholder || redacted(text: text) != text { return true }
            let decoded = text[...].decodedLeniently
            if decoded == text { return false }
            text = decoded
        }
        return false
    }

    /// Each part by its name, or else by its own media type.
    private func redacted(multipart body: Data, boundary: Data, depth: Int) -> Data {
        let (delimiter, headEnd) = (Data("--".utf8) + boundary, Data("\r\n\r\n".utf8))
        var output = Data()
        var position = body.startIndex
        while let found = body[position...].range(of: delimiter) {
            let start = found.upperBound
            output += SecretScanner.redacted(body[position..<found.lowerBound], self) + body[found]
            position = start
            // Without a head there are no further parts.
            guard let head = body[start...].range(of: headEnd) else { break }
            // The last part of a body that was cut has no end.
            let end = body[head.upperBound...].range(of: Data("\r\n".utf8) + delimiter)?.lowerBound ?? body.endIndex
            let fields = String(decoding: body[start..<head.lowerBound], as: UTF8.self).split(
                whereSeparator: \.isNewline)
            let content = Data(body[head.upperBound..<end])
            output += body[start..<head.upperBound]
            if !content.isEmpty, fields.contains(where: { hasSecretName($0) }) {
                output += Self.placeholder.utf8
            } else {
                let type = fields.first { $0.lowercased().hasPrefix("content-type:") }
                // A part without a type is text (RFC 7578, section 4.4).
                let mediaType = type.map { MediaType(parsing: String($0.dropFirst(13))) } ?? .plainText
                output += redacted(body: content, as: mediaType, depth: depth + 1)
            }
            position = end
        }
        return output + SecretScanner.redacted(body[position...], self)
    }

    /// True for the `Content-Disposition` of a part with a secret name.
    private func hasSecretName(_ field: Substring) -> Bool {
        guard field.lowercased().hasPrefix("content-disposition:") else { return false }
        return field.split(separator: ";").contains { parameter in
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmingCharacters(in: .whitespaces).lowercased() == "name" else {
                return false
            }
            return isSecret(pair[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\"")))
        }
    }
}

extension Data {
    /// UTF-16 or UTF-32, by the media type or a byte order mark; nil for what extends ASCII.
    fileprivate func wideEncoding(_ mediaType: MediaType?) -> String.Encoding? {
        let charset = mediaType?.parameters.first { $0.name == "charset" }?.value.lowercased() ?? ""
        if charset.hasPrefix("utf-16") || charset.hasPrefix("utf-32") {
            let isLittle = charset.hasSuffix("le")
            let isBig = charset.hasSuffix("be")
            if charset.hasPrefix("utf-16") {
                return isLittle ? .utf16LittleEndian : isBig ? .utf16BigEndian : .utf16
            }
            return isLittle ? .utf32LittleEndian : isBig ? .utf32BigEndian : .utf32
        }
        let start = Array(prefix(4))
        if start == [0xFF, 0xFE, 0, 0] || start == [0, 0, 0xFE, 0xFF] { return .utf32 }
        return start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) ? .utf16 : nil
    }
}
