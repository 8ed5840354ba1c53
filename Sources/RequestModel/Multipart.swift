public import Foundation
public import HTTPMessages
public import PatchbayErrors

/// Form with files, encoded as `multipart/form-data` (RFC 7578).
///
/// ```swift
/// var form = Multipart()
/// form.parts.append(.text("title", "Minutes"))
/// form.parts.append(try .file("scan", at: url, mediaType: MediaType("image/png")))
/// data.body = try form.body()
/// ```
public struct Multipart: Sendable {
    /// One field or file.
    public struct Part: Sendable {
        /// The field's name.
        public let name: String
        /// The file name; nil for a part that is not a file.
        public let fileName: String?
        /// The media type; nil means `text/plain` (RFC 7578, section 4.4).
        public let mediaType: MediaType?
        /// The content.
        public let content: HTTPBody

        /// Creates a part. With a stream the form can be sent only once.
        public init(_ name: String, _ content: HTTPBody, fileName: String? = nil, mediaType: MediaType? = nil) {
            self.name = name
            self.fileName = fileName
            self.mediaType = mediaType
            self.content = content
        }

        /// A text field.
        /// - Parameter charset: default UTF-8. A character that it lacks becomes a reference such as `&#8364;`.
        public static func text(
            _ name: String, _ value: String, mediaType: MediaType? = nil, charset: String.Encoding = .utf8
        ) -> Part {
            Part(name, .bytes(Data(value.bytes(in: charset))), mediaType: mediaType)
        }

        /// Bytes in memory; a file if `fileName` is not nil.
        public static func bytes(
            _ name: String, _ data: Data, fileName: String? = nil, mediaType: MediaType = .octetStream
        ) -> Part {
            Part(name, .bytes(data), fileName: fileName, mediaType: mediaType)
        }

        /// A file, streamed from disk while it is sent.
        /// - Parameter fileName: file name sent to the server; default the last component of the URL.
        /// - Throws: `HTTPMessageError` (`unreadableFile`).
        public static func file(
            _ name: String, at url: URL, fileName: String? = nil, mediaType: MediaType = .octetStream
        ) throws(HTTPMessageError) -> Part {
            Part(name, try .file(at: url), fileName: fileName ?? url.lastPathComponent, mediaType: mediaType)
        }
    }

    /// The parts, in order.
    public var parts: [Part]
    /// The charset of names and file names, which the media type of the form then has as a parameter; nil for UTF-8
    /// without the parameter (RFC 7578, section 5.1.2). UTF-8 is used in place of UTF-16 and UTF-32.
    public var charset: String.Encoding?

    /// Creates a form.
    public init(_ parts: [Part] = [], charset: String.Encoding? = nil) {
        self.parts = parts
        self.charset = charset
    }

    /// Encodes the form with a random boundary.
    /// - Throws: as ``body(using:)``.
    public func body() throws(HTTPMessageError) -> RequestBody {
        var generator = SystemRandomNumberGenerator()
        return try body(using: &generator)
    }

    /// Encodes the form with a boundary of 192 random bits.
    ///
    /// Parts in memory are searched for the boundary, and another is generated if it occurs. Files and streams are not
    /// searched, since the boundary cannot be predicted when they are written.
    /// - Throws: `HTTPMessageError` (`invalidMediaType`) if eight boundaries in a row occur, which means that the
    ///   generator is not random.
    public func body(using generator: inout some RandomNumberGenerator) throws(HTTPMessageError) -> RequestBody {
        for _ in 0..<8 {
            let boundary = Boundary.random(using: &generator)
            if !occurs(boundary) { return try write(boundary) }
        }
        throw HTTPMessageError(
            .invalidMediaType,
            "No unused multipart boundary found in eight attempts; pass a random number generator that is random.")
    }

    /// Encodes the form with a given boundary.
    /// - Throws: `HTTPMessageError` (`invalidMediaType`) if the boundary is not 1 to 70 letters, digits or
    ///   `'()+_,-./:=?`, or occurs in a part in memory.
    public func body(boundary: String) throws(HTTPMessageError) -> RequestBody {
        guard Boundary.isValid(boundary) else {
            throw HTTPMessageError(
                .invalidMediaType,
                "Invalid multipart boundary; use 1 to 70 letters, digits or '()+_,-./:=? (RFC 2046, section 5.1.1).")
        }
        guard !occurs(boundary) else {
            throw HTTPMessageError(
                .invalidMediaType,
                "Multipart boundary occurs in a part; pass another one, or use `body()` for a random one.")
        }
        return try write(boundary)
    }

    private func write(_ boundary: String) throws(HTTPMessageError) -> RequestBody {
        let charset = charset?.ofForms
        var writer = PartWriter(boundary: boundary, charset: charset ?? .utf8)
        for part in parts { writer.write(part) }
        var mediaType = try MediaType.multipartForm(boundary: boundary)
        if let name = charset?.charsetName {
            mediaType = try MediaType(mediaType.essence).with(parameter: "charset", name)
                .with(parameter: "boundary", boundary)
        }
        return RequestBody(writer.finish(), mediaType: mediaType)
    }

    private func occurs(_ boundary: String) -> Bool {
        let search = ByteSearch(Array(boundary.utf8))
        return parts.contains { $0.content.containsInMemory(search) }
    }
}

extension Multipart: CustomStringConvertible, CustomReflectable {
    /// The number of parts; never their content.
    public var description: String { "\(parts.count) parts" }
    /// Same content as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["parts": parts]) }
}

extension Multipart.Part: RedactedStringConvertible {
    /// Name, kind and length of the content; never its bytes.
    public var description: String { "\(name.debugDescription): \(content)" }
}

private enum Boundary {
    /// 32 characters of 6 random bits each; all are valid in a token, so the media type needs no quotes.
    static func random(using generator: inout some RandomNumberGenerator) -> String {
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_".utf8)
        let bytes = (0..<32).map { _ in alphabet[Int(generator.next() as UInt64 >> 58)] }
        return "patchbay-" + String(decoding: bytes, as: UTF8.self)
    }

    static func isValid(_ boundary: String) -> Bool {
        (1...70).contains(boundary.utf8.count)
            && boundary.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "'()+_,-./:=?".utf8.contains($0)
                }
            }
    }
}

/// Writer of parts that buffers headers and small contents, and emits larger contents as bodies of their own.
private struct PartWriter {
    let boundary: String
    let charset: String.Encoding
    private var bodies: [HTTPBody] = []
    private var buffer = Data()

    init(boundary: String, charset: String.Encoding) {
        self.boundary = boundary
        self.charset = charset
    }

    mutating func write(_ part: Multipart.Part) {
        var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name.escapedForDisposition)\""
        if let fileName = part.fileName { head += "; filename=\"\(fileName.escapedForDisposition)\"" }
        head += "\r\n"
        if let mediaType = part.mediaType { head += "Content-Type: \(mediaType)\r\n" }
        buffer.append(contentsOf: (head + "\r\n").bytes(in: charset))
        if case .bytes(let data) = part.content.source, data.count <= 65_536 {
            buffer.append(data)
        } else {
            flush()
            bodies.append(part.content)
        }
        buffer.append(contentsOf: "\r\n".utf8)
    }

    mutating func finish() -> HTTPBody {
        buffer.append(contentsOf: "--\(boundary)--\r\n".utf8)
        if bodies.isEmpty { return .bytes(buffer) }
        flush()
        return .sequence(bodies)
    }

    private mutating func flush() {
        bodies.append(.bytes(buffer))
        buffer = Data()
    }
}

extension String {
    /// Escapes quotes and line breaks, which would end the parameter or the line, as browsers do (WHATWG HTML,
    /// section 4.10.21.8).
    fileprivate var escapedForDisposition: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension HTTPBody {
    fileprivate func containsInMemory(_ search: ByteSearch) -> Bool {
        switch source {
        case .bytes(let data): search.occurs(in: data)
        case .sequence(let bodies): bodies.contains { $0.containsInMemory(search) }
        default: false
        }
    }
}
