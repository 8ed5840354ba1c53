public import Foundation
public import HTTPMessages
public import PatchbayErrors

/// Signs requests with AWS Signature Version 4.
///
/// ```swift
/// var signer = AWSSignatureV4(credentials: .environment, region: "eu-central-1", service: "s3")
/// signer.payload = .chunked()
/// let transport = URLSessionTransport.shared.signing(signer)
/// ```
///
/// A signature covers the method, the URL, the host, all fields of the request except those that proxies and engines
/// change, and the body as ``payload`` says. In a query `+` is not a space: write `%20`. It replaces an older
/// signature, in fields and in the URL; several fields of one name become one.
public struct AWSSignatureV4: RequestSigner {
    /// How a signature covers the body.
    @nonexhaustive public enum Payload: Hashable, Sendable {
        /// By its hash, for which it is read before it is sent; a stream is refused.
        case signed
        /// Not at all; for S3 over `https`, and to this machine. Other requests are refused.
        case unsigned
        /// In signed chunks of 8 KiB to 64 MiB (S3 only): the body is read once, and its length must be known.
        case chunked(size: Int = 65_536)
    }

    /// The credentials of each attempt.
    public let credentials: AWSCredentialProvider
    /// The region, such as `eu-central-1`.
    public let region: String
    /// The name of the service in the scope, such as `s3` and `execute-api`.
    public let service: String
    /// How the body is covered; default ``Payload/signed``.
    public var payload = Payload.signed
    /// Whether `X-Amz-Content-Sha256` is sent; default: to S3 only.
    public var sendsPayloadHash: Bool
    /// Whether the path is signed without dot segments and repeated slashes, and encoded twice; default: except for S3.
    public var normalizesPath: Bool

    /// Creates a signer.
    public init(credentials: AWSCredentialProvider, region: String, service: String) {
        self.credentials = credentials
        self.region = region
        self.service = service
        sendsPayloadHash = service == "s3"
        normalizesPath = service != "s3"
    }

    /// 400, 401 and 403: services with JSON answer 400.
    public var refusals: Set<HTTPStatus> { [.badRequest, .unauthorized, .forbidden] }

    /// Adds `Authorization` and the fields of AWS.
    /// - Throws: ``SigningError`` (`bodyNotReplayable`, `invalidCredential`, `invalidParameter`); errors of the
    ///   credentials' closure and of reading the body.
    public func sign(_ request: inout HTTPRequest, at date: Date) async throws {
        let credentials = try await credentials.credentials()
        let scope = try AWSSigningScope(credentials, region: region, service: service, at: date)
        try prepare(&request)
        let chunks = try chunks(of: request)
        let hash = try await payloadHash(&request, chunks)
        try set(&request, "X-Amz-Date", scope.timestamp)
        if let token = credentials.sessionToken { try set(&request, "X-Amz-Security-Token", token) }
        if sendsPayloadHash || payload != .signed { try set(&request, "X-Amz-Content-Sha256", hash) }
        let canonical = canonicalRequest(request, hash)
        let signature = try scope.signature(of: canonical)
        try set(
            &request, "Authorization",
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope.scope), "
                + "SignedHeaders=\(canonical.signedFields), Signature=\(signature)")
        if let chunks {
            let encoder = AWSChunkEncoder(scope, chunkSize: chunks.size, seed: signature)
            try request.setBody(encoder.body(request.body, encodedLength: chunks.encodedLength))
        }
    }

    /// A URL that needs no other credentials until it expires, for the method and the fields of the request.
    ///
    /// The URL is a secret: it has the credentials' signature.
    /// - Parameters:
    ///   - request: its fields are signed too, so the sender of the URL must send them.
    ///   - lifetime: 1 second to 7 days.
    /// - Throws: ``SigningError`` (`invalidParameter`, `invalidCredential`, `bodyNotReplayable`); the error of the
    ///   credentials' closure.
    public func presignedURL(
        for request: HTTPRequest, lifetime: Duration = .seconds(900), at date: Date = Date()
    ) async throws -> URL {
        let prepared = try prepared(request, for: lifetime)
        let credentials = try await credentials.credentials()
        let hash = try await presignedHash(of: prepared)
        return try presignedURL(of: prepared, hash, credentials, lifetime: lifetime, at: date)
    }

    private func prepared(_ request: HTTPRequest, for lifetime: Duration) throws -> HTTPRequest {
        let seconds = lifetime.components.seconds
        guard (1...604_800).contains(seconds) else {
            throw SigningError(
                .invalidParameter, "Invalid lifetime of a URL: \(seconds) seconds; use 1 to 604800.", request: request)
        }
        var request = request
        try prepare(&request)
        return request
    }

    private func presignedHash(of request: HTTPRequest) async throws -> String {
        if service == "s3" || payload == .unsigned { return Self.unsigned }
        return try await AWSHash.hex(of: request.body)
    }

    private func presignedURL(
        of request: HTTPRequest, _ hash: String, _ credentials: AWSCredentials, lifetime: Duration, at date: Date
    ) throws -> URL {
        let scope = try AWSSigningScope(credentials, region: region, service: service, at: date)
        var request = request
        var reference = URLReference(request.url.absoluteString[...])
        var parameters = [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(credentials.accessKeyID)/\(scope.scope)"),
            ("X-Amz-Date", scope.timestamp), ("X-Amz-Expires", String(lifetime.components.seconds)),
            ("X-Amz-SignedHeaders", canonicalRequest(request, hash).signedFields),
        ]
        if let token = credentials.sessionToken { parameters.append(("X-Amz-Security-Token", token)) }
        let added = parameters.map { "\($0.0)=\($0.1.utf8.awsEncoded())" }.joined(separator: "&")
        let query = reference.query.flatMap { $0.isEmpty ? nil : "\($0)&\(added)" } ?? added
        reference.fragment = nil
        reference.query = query[...]
        try request.setURL(reference.text)
        let signature = try scope.signature(of: canonicalRequest(request, hash))
        try request.setURL("\(request.url.absoluteString)&X-Amz-Signature=\(signature)")
        return request.url
    }

    private static let unsigned = "UNSIGNED-PAYLOAD"

    /// Removes an older signature, and gives the fields the form in which they are sent.
    /// - Throws: ``SigningError`` (`invalidParameter`) for a request that cannot be signed.
    private func prepare(_ request: inout HTTPRequest) throws {
        guard payload != .unsigned || request.origin.protectsSecrets else {
            throw SigningError(
                .invalidParameter, "A body that no signature covers needs https; sign it with `payload = .signed`.",
                request: request)
        }
        let coding = request.fields[.contentEncoding]?.prefix { $0 != "," && $0 != " " }
        guard coding?.lowercased() != "aws-chunked" else {
            throw SigningError(
                .invalidParameter, "The body is already in signed chunks (aws-chunked); sign the original request.",
                request: request)
        }
        for name in AWSSignatureFields.fields { request.fields.remove(name) }
        request.fields.combineLines()
        if let url = AWSSignatureFields.removed(from: request.url) { try request.setURL(url) }
    }

    /// The size and the length of the chunks of the body; nil for a body without chunks.
    private func chunks(of request: HTTPRequest) throws(SigningError) -> (size: Int, encodedLength: Int64)? {
        guard case .chunked(let size) = payload, !request.body.isEmpty else { return nil }
        guard AWSChunkEncoder.sizes.contains(size) else {
            throw SigningError(
                .invalidParameter, "Invalid size of chunks: \(size) bytes; use 8192 to 67108864.", request: request)
        }
        guard let length = request.body.length else {
            throw SigningError(
                .bodyNotReplayable, "The length of the body is not known, and S3 requires it; set it, or use a file.",
                request: request)
        }
        guard let encodedLength = AWSChunkEncoder.encodedLength(of: length, chunkSize: size) else {
            throw SigningError(
                .invalidParameter, "The body is too long for chunks: \(length) bytes; check its declared length.",
                request: request)
        }
        return (size, encodedLength)
    }

    /// The hash of the payload, or what stands for it; adds the fields of chunks.
    private func payloadHash(
        _ request: inout HTTPRequest, _ chunks: (size: Int, encodedLength: Int64)?
    ) async throws -> String {
        if payload == .unsigned { return Self.unsigned }
        guard chunks != nil, let length = request.body.length else { return try await AWSHash.hex(of: request.body) }
        let coding = request.fields[.contentEncoding].map { "aws-chunked,\($0)" } ?? "aws-chunked"
        try request.fields.set(.contentEncoding, to: coding)
        try set(&request, "X-Amz-Decoded-Content-Length", String(length))
        return "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
    }

    private func set(_ request: inout HTTPRequest, _ name: String, _ value: String) throws(SigningError) {
        do {
            try request.fields.set(name, to: value)
        } catch {
            throw SigningError(
                .invalidCredential, "The credentials contain a control character; check them.", request: request,
                underlying: error)
        }
    }

    private func canonicalRequest(_ request: HTTPRequest, _ payloadHash: String) -> AWSCanonicalRequest {
        let url = URLReference(request.url.absoluteString[...])
        let path = url.path.isEmpty ? "/" : String(url.path)
        return AWSCanonicalRequest(
            method: request.method.name,
            path: normalizesPath
                ? AWSCanonicalRequest.normalizedPath(path).utf8.awsEncoded(keepingSlashes: true)
                : path.utf8.percentDecoded().awsEncoded(keepingSlashes: true),
            query: url.query.map(String.init) ?? "",
            fields: request.fields.filter { !Self.unsignedFields.contains($0.name.canonicalName) }
                .map { ($0.name.canonicalName, $0.value) } + [("host", request.origin.authority)],
            payloadHash: payloadHash)
    }

    /// Fields that proxies or engines add or change, and the host, which is the URL's.
    private static let unsignedFields: Set<String> = [
        "accept-encoding", "authorization", "connection", "expect", "host", "keep-alive", "proxy-authorization", "te",
        "trailer", "transfer-encoding", "upgrade", "user-agent", "x-amzn-trace-id",
    ]
}

extension AWSSignatureV4: RedactedStringConvertible {
    /// The region and the service.
    public var description: String { "AWS Signature Version 4 for \(service) in \(region)" }
}

extension RequestSigner where Self == AWSSignatureV4 {
    /// Signs requests with AWS Signature Version 4.
    public static func awsV4(
        _ credentials: AWSCredentialProvider, region: String, service: String,
        payload: AWSSignatureV4.Payload = .signed
    ) -> AWSSignatureV4 {
        var signer = AWSSignatureV4(credentials: credentials, region: region, service: service)
        signer.payload = payload
        return signer
    }
}
