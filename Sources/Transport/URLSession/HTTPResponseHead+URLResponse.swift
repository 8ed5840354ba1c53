import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPResponseHead {
    /// The content codings that an engine decodes.
    private static func decodedCodings(of engine: EngineKind) -> Set<String> {
        let codings: Set<String> = ["gzip", "x-gzip", "deflate", "br"]
        guard engine == .libcurl else {
            // As Safari does from these versions on.
            if #available(macOS 26.3, iOS 26.3, tvOS 26.3, visionOS 26.3, *) { return codings.union(["zstd"]) }
            return codings
        }
        return codings.union(["zstd"])
    }

    /// Whether an engine has decoded a body.
    ///
    /// CFNetwork knows no length of a body that it decodes, whichever codings its version knows; it leaves a body at an
    /// address that ends in `.gz` as it is, for example. Without a `Content-Length` that tells nothing.
    /// - Parameters:
    ///   - declaresLength: true if the head has a `Content-Length`.
    ///   - expectedLength: `URLResponse.expectedContentLength`.
    static func isDecoded(
        _ codings: [String], declaresLength: Bool, expectedLength: Int64, by engine: EngineKind
    ) -> Bool {
        guard !codings.isEmpty else { return false }
        if engine == .cfNetwork, declaresLength { return expectedLength == -1 }
        return decodedCodings(of: engine).isSuperset(of: codings)
    }

    /// Converts the engine's response.
    ///
    /// Names that differ only in case become one field, and joined `Set-Cookie` lines are split. `Content-Encoding` and
    /// `Content-Length` are removed when the engine has decoded the body.
    /// - Throws: `TransportError` (`malformedResponse`) if it is not HTTP, or if its body has no reliable end, which
    ///   the engine may not notice.
    init(_ response: URLResponse, for request: HTTPRequest) throws(TransportError) {
        func malformed(_ problem: String) -> TransportError {
            TransportError(.malformedResponse, "\(problem): \(request.origin.address).", request: request)
        }
        guard let response = response as? HTTPURLResponse, let status = HTTPStatus(response.statusCode) else {
            throw malformed("Response is not HTTP")
        }
        let carriesBody = request.method != .head && !status.hasNoContent
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            // Skip invalid fields that the engine accepts, instead of failing the response.
            guard let text = name as? String, let value = value as? String else { continue }
            guard let name = try? HTTPFieldName(text) else {
                if carriesBody, BodyFraming.isMisread(text) {
                    throw malformed("Response head has whitespace before a colon")
                }
                continue
            }
            for line in JoinedLines(value).lines(of: name) { try? fields.append(name, String(line)) }
        }
        if carriesBody, case .invalid(let problem) = BodyFraming(fields) { throw malformed(problem) }
        let codings = (fields[.contentEncoding] ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        var decoded: String?
        if carriesBody,
            Self.isDecoded(
                codings, declaresLength: fields.contains(.contentLength),
                expectedLength: response.expectedContentLength, by: .current)
        {
            decoded = fields[.contentEncoding]
            fields.remove(.contentEncoding)
            fields.remove(.contentLength)
        }
        self.init(status: status, fields: fields, url: response.url ?? request.url)
        method = request.method
        decodedContentCodings = decoded
    }

    /// The length of the body that an engine delivers; nil if unknown.
    ///
    /// CFNetwork checks the length of a coded body itself, and may yet decode it.
    func deliveredLength(by engine: EngineKind) -> Int64? {
        engine == .cfNetwork && fields.contains(.contentEncoding) ? nil : contentLength
    }

    /// The declared body length, or nil; `Transfer-Encoding` overrides `Content-Length` (RFC 9112, section 6.3).
    var contentLength: Int64? { if case .length(let length) = BodyFraming(fields) { length } else { nil } }
}

extension HTTPStatus {
    /// True for statuses whose responses have no content (RFC 9110, section 6.4.1).
    var hasNoContent: Bool { kind == .informational || self == .noContent || self == .notModified }
}
