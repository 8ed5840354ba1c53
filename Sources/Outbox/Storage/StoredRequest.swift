import Authentication
import Foundation
import HTTPMessages
import Queueing
import Transport

/// A request as the columns of an entry. It holds no secret, and its options are not stored, except the priority.
struct StoredRequest: Hashable, Sendable {
    /// Where the body is.
    enum Body: Hashable, Sendable {
        case none
        case bytes(Data)
        /// - `path`: absolute, or relative to the home folder with the prefix `~/`.
        /// - `isOwned`: true for a copy in the outbox's folder.
        case file(path: String, range: Range<Int64>, isOwned: Bool)
    }

    var method: String
    var url: String
    var origin: String
    /// Names and values in turn, as a JSON array.
    var fields: String
    var body: Body
    var priority: Int

    /// True for a body that is no file.
    var hasBytes: Bool { if case .bytes = body { true } else { false } }

    /// Makes the columns of a request.
    /// - Parameters:
    ///   - options: the rules for secrets, sizes and files.
    /// - Throws: ``OutboxError`` (`secret`, `streamBody`, `bodyTooLarge`, `fileNotCopied`); `TransportError`
    ///   (`unsupported`) for an option; errors of reading a body.
    init(_ request: HTTPRequest, _ options: OutboxOptions, _ rule: SecretRule) throws {
        try request.fields.validate()
        try rule.check(request)
        try request.checkOptions()
        method = request.method.name
        url = request.url.absoluteString
        origin = request.origin.text
        var stored = request.fields
        stored.remove(.idempotencyKey)
        fields = stored.stored
        body = try Self.body(of: request, options)
        priority = request.options.priority.level
    }

    init(method: String, url: String, origin: String, fields: String, body: Body, priority: Int) {
        (self.method, self.url, self.origin, self.fields) = (method, url, origin, fields)
        (self.body, self.priority) = (body, priority)
    }

    /// The request; its only options are the priority and the size of a response.
    /// - Throws: ``Damage``; `HTTPMessageError` (`unreadableFile`) for a missing file.
    func request(
        idempotencyKey: String, files: OutboxOptions.Files, maximumResponseBytes: Int
    ) throws -> HTTPRequest {
        guard let method = try? HTTPMethod(method) else { throw Damage() }
        var fields = try HTTPFields(stored: fields)
        let body = try httpBody(files)
        do {
            try fields.set(.idempotencyKey, to: idempotencyKey)
            var options = RequestOptions(maximumResponseBytes: maximumResponseBytes)
            options.priority = RequestPriority(level: priority)
            return try HTTPRequest(method, url, fields: fields, body: body, options: options)
        } catch {
            throw Damage()
        }
    }

    /// The stored request cannot be read.
    struct Damage: Error {}

    private func httpBody(_ files: OutboxOptions.Files) throws(HTTPMessageError) -> HTTPBody {
        switch body {
        case .none: .empty
        case .bytes(let data): .bytes(data)
        case .file(let path, let range, isOwned: false): try .file(at: BodyFile.url(of: path), range: range)
        case .file(let path, let range, isOwned: true):
            try .file(at: BodyFile.url(ofCopy: path, in: files.folder), range: range)
        }
    }

    private static func body(
        of request: HTTPRequest, _ options: OutboxOptions
    ) throws -> Body {
        let body = request.body
        guard !body.isEmpty else { return .none }
        if let folder = options.folder(toCopy: body) {
            let copy = try BodyFile.copy(body, to: folder)
            return .file(path: BodyFile.path(of: copy.url), range: 0..<copy.size, isOwned: true)
        }
        if case .file(let file) = body.source {
            return .file(path: BodyFile.path(of: file.url), range: file.range, isOwned: false)
        }
        if case .bytes(let bytes) = body.source, bytes.count <= options.maximumBodyBytes { return .bytes(bytes) }
        guard let reader = try body.makeReader() else {
            throw OutboxError(
                .streamBody,
                "Body is a stream, which ends with the process; write it to a file, and use HTTPBody.file(at:).")
        }
        var bytes = Data()
        while let part = try reader.read(atMost: 65_536) {
            bytes += part
            guard bytes.count <= options.maximumBodyBytes else {
                throw OutboxError(
                    .bodyTooLarge,
                    "Body exceeds \(options.maximumBodyBytes) bytes; set `OutboxOptions.files` to `.copied(to:)`, or "
                        + "raise `OutboxOptions.maximumBodyBytes`.")
            }
        }
        return .bytes(bytes)
    }
}

extension HTTPRequest {
    /// Refuses an option without which the request must not be sent, since options are not stored.
    fileprivate func checkOptions() throws(TransportError) {
        guard options.hasLayerOptions, let name = options.restriction else { return }
        throw TransportError(
            .unsupported,
            "An outbox does not store the request option `\(name)`; remove it, and set it when the request is sent, by "
                + "a layer such as `modifyingRequests`.", request: self)
    }
}

extension RequestOptions {
    /// The name of an option that restricts where the request goes or what is sent with it; nil without one.
    fileprivate var restriction: String? {
        if redirectPolicy != .byPolicy { return "redirectPolicy" }
        if skipsAuthorization { return "skipsAuthorization" }
        if !usesCookies { return "usesCookies" }
        if unixSocketPath != nil { return "unixSocketPath" }
        if !nameOverrides.isEmpty { return "nameOverrides" }
        return trailers == nil ? nil : "trailers"
    }
}
