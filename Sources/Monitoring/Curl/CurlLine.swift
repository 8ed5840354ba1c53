import Foundation
import HTTPMessages
import Transport

/// Composes a line for `sh` that runs `curl`.
struct CurlLine {
    /// The longest body in the line: systems limit the length of an argument.
    private static let longestText = 64 << 10

    private let request: HTTPRequest
    /// Nil shows secrets.
    private let redaction: Redaction?
    private let bodyFile: String
    private let usesBodyFile: Bool

    init(_ request: HTTPRequest, redaction: Redaction?, bodyFile: String, usesBodyFile: Bool = false) {
        self.request = request
        self.redaction = redaction?.covering(request)
        self.bodyFile = bodyFile
        self.usesBodyFile = usesBodyFile
    }

    var text: String {
        let body = body
        var words = ["curl"]
        switch request.method {
        case .get where body == nil: break
        case .post where body != nil: break
        case .head: words.append("--head")
        default: words += ["-X", Self.quoted(request.method.name)]
        }
        let url = redaction?.redacted(request.url) ?? request.url.absoluteString
        // Brackets and braces are patterns to curl.
        if url.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
        words.append(Self.quoted(url))
        words += destination
        for field in request.fields {
            let value = redaction?.redacted(field.value, of: field.name) ?? field.value
            // Without a value a colon would remove the field.
            words += ["-H", Self.quoted(value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(value)")]
        }
        if let body {
            // curl would add the type of a form.
            if !request.fields.contains(.contentType) { words += ["-H", "'Content-Type:'"] }
            words += body
        }
        return words.joined(separator: " ")
    }

    /// Where to connect, and the version of HTTP.
    private var destination: [String] {
        let options = request.options
        var words: [String] = []
        if let path = options.unixSocketPath { words += ["--unix-socket", Self.quoted(path)] }
        for (name, address) in options.nameOverrides.sorted(by: { $0.key < $1.key }) {
            words += ["--connect-to", Self.quoted("\(Self.bracketed(name))::\(Self.bracketed(address)):")]
        }
        switch options.httpVersion {
        case .http1: words.append("--http1.1")
        // Without TLS by prior knowledge, as the option says.
        case .http2: words.append(request.origin.isSecure ? "--http2" : "--http2-prior-knowledge")
        case .http3: words.append("--http3")
        case nil: break
        }
        return words
    }

    private var body: [String]? {
        switch request.body.source {
        case .empty: nil
        case .file(let file) where !usesBodyFile && file.isWhole:
            ["--data-binary", Self.quoted("@" + file.url.path(percentEncoded: false))]
        case .bytes where !usesBodyFile && redaction != nil && request.options.hasSecretBody:
            ["--data-raw", Self.quoted(Redaction.placeholder)]
        case .bytes(let bytes) where !usesBodyFile && bytes.count <= Self.longestText && !bytes.contains(0):
            String(validating: bytes, as: UTF8.self).map { ["--data-raw", Self.quoted(redacted($0))] } ?? file
        default: file
        }
    }

    private var file: [String] { ["--data-binary", Self.quoted("@" + bodyFile)] }

    private func redacted(_ text: String) -> String {
        guard let redaction else { return text }
        let type = request.fields[.contentType].flatMap { MediaType(parsing: $0) }
        let isForm = type?.essence == "application/x-www-form-urlencoded"
        if isForm || type?.type == "multipart" || type?.isJSON == true {
            return String(decoding: redaction.redacted(body: Data(text.utf8), as: type), as: UTF8.self)
        }
        // A text without secrets keeps its line breaks.
        let safe = redaction.redacted(line: text)
        return safe == text.onOneLine ? text : safe
    }

    /// An IPv6 address in brackets, as `--connect-to` takes it; other hosts unchanged.
    private static func bracketed(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// A word of `sh`: only a quote ends a quoted text.
    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}

extension FileSource {
    /// True if the range is the whole file, as it is now.
    fileprivate var isWhole: Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        return range.lowerBound == 0 && (attributes?[.size] as? NSNumber)?.int64Value == range.upperBound
    }
}
