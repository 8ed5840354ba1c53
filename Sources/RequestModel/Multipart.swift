public import Foundation
public import HTTPMessages

/// A form with files: `multipart/form-data` (RFC 7578).
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
        /// The name of the file, for parts that are one.
        public let fileName: String?
        /// What the bytes are; nil means text (RFC 7578, section 4.4).
        public let mediaType: MediaType?
        /// The bytes.
        public let content: HTTPBody

        /// A part of any content; with a stream the form can be sent once.
        public init(_ name: String, _ content: HTTPBody, fileName: String? = nil, mediaType: MediaType? = nil) {
            self.name = name
            self.fileName = fileName
            self.mediaType = mediaType
            self.content = content
        }

        /// A field with a text, as UTF-8.
        public static func text(_ name: String, _ value: String, mediaType: MediaType? = nil) -> Part {
            Part(name, .text(value), mediaType: mediaType)
        }

        /// Bytes in memory, as a file if they have a file's name.
        public static func bytes(
            _ name: String, _ data: Data, fileName: String? = nil, mediaType: MediaType = .octetStream
        ) -> Part {
            Part(name, .bytes(data), fileName: fileName, mediaType: mediaType)
        }

        /// A file, read while it is sent.
        /// - Parameter fileName: the name that the server sees; default the last component of the URL.
        /// - Throws: `HTTPMessageError` (`unreadableFile`).
        public static func file(
            _ name: String, at url: URL, fileName: String? = nil, mediaType: MediaType = .octetStream
        ) throws(HTTPMessageError) -> Part {
            Part(name, try .file(at: url), fileName: fileName ?? url.lastPathComponent, mediaType: mediaType)
        }
    }

    /// The parts, in order.
    public var parts: [Part]

    /// A form of the given parts.
    public init(_ parts: [Part] = []) { self.parts = parts }

    /// The body, with a random boundary.
    /// - Throws: as ``body(using:)``.
    public func body() throws(HTTPMessageError) -> RequestBody {
        var generator = SystemRandomNumberGenerator()
        return try body(using: &generator)
    }

    /// The body, with a boundary from a generator.
    ///
    /// The boundary has 192 random bits. Parts in memory are searched for it, and another is drawn if it occurs; files
    /// and streams are not read, since nobody who wrote them can have guessed it.
    /// - Throws: `HTTPMessageError` (`invalidMediaType`) when eight boundaries all occur, which tells of a generator
    ///   that is not random.
    public func body(using generator: inout some RandomNumberGenerator) throws(HTTPMessageError) -> RequestBody {
        for _ in 0..<8 {
            let boundary = Boundary.random(using: &generator)
            if !occurs(boundary) { return try write(boundary) }
        }
        throw HTTPMessageError(
            .invalidMediaType, "No unused boundary found after eight attempts; pass a random generator.")
    }

    /// The body, with a boundary of one's own.
    /// - Throws: `HTTPMessageError` (`invalidMediaType`) when it is not 1 to 70 letters, digits or `'()+_,-./:=?`, or
    ///   occurs in a part in memory.
    public func body(boundary: String) throws(HTTPMessageError) -> RequestBody {
        guard Boundary.isValid(boundary) else {
            throw HTTPMessageError(
                .invalidMediaType,
                "Invalid boundary; use 1 to 70 letters, digits or '()+_,-./:=? (RFC 2046, section 5.1.1).")
        }
        guard !occurs(boundary) else {
            throw HTTPMessageError(
                .invalidMediaType, "The boundary occurs in a part; pass another one, or none for a random one.")
        }
        return try write(boundary)
    }

    private func write(_ boundary: String) throws(HTTPMessageError) -> RequestBody {
        var writer = PartWriter(boundary: boundary)
        for part in parts { writer.write(part) }
        return RequestBody(writer.finish(), mediaType: try .multipartForm(boundary: boundary))
    }

    private func occurs(_ boundary: String) -> Bool {
        let search = ByteSearch(Array(boundary.utf8))
        return parts.contains { $0.content.containsInMemory(search) }
    }
}

extension Multipart: CustomStringConvertible, CustomReflectable {
    /// How many parts there are; never their content.
    public var description: String { "\(parts.count) parts" }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["parts": parts]) }
}

extension Multipart.Part: CustomStringConvertible, CustomReflectable {
    /// The name, the kind and the length of the content; never its bytes.
    public var description: String { "\(name.debugDescription): \(content)" }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["part": description]) }
}

private enum Boundary {
    /// 32 of 64 characters that need no quotes in a media type, so 192 bits.
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

/// Writes parts one after the other; what is small is gathered into one run of bytes.
private struct PartWriter {
    let boundary: String
    private var bodies: [HTTPBody] = []
    private var gathered = Data()

    init(boundary: String) { self.boundary = boundary }

    mutating func write(_ part: Multipart.Part) {
        var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name.escapedForDisposition)\""
        if let fileName = part.fileName { head += "; filename=\"\(fileName.escapedForDisposition)\"" }
        head += "\r\n"
        if let mediaType = part.mediaType { head += "Content-Type: \(mediaType)\r\n" }
        gathered.append(contentsOf: (head + "\r\n").utf8)
        if case .bytes(let data) = part.content.source, data.count <= 65_536 {
            gathered.append(data)
        } else {
            flush()
            bodies.append(part.content)
        }
        gathered.append(contentsOf: "\r\n".utf8)
    }

    mutating func finish() -> HTTPBody {
        gathered.append(contentsOf: "--\(boundary)--\r\n".utf8)
        if bodies.isEmpty { return .bytes(gathered) }
        flush()
        return .sequence(bodies)
    }

    private mutating func flush() {
        bodies.append(.bytes(gathered))
        gathered = Data()
    }
}

extension String {
    /// As browsers write names of fields and files (WHATWG HTML, section 4.10.21.8): a quote or a line break would
    /// end the parameter or the line.
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
