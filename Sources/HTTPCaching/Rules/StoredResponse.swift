import Foundation
import HTTPMessages
import Transport

/// A stored response with what its rules follow from; immutable.
final class StoredResponse: Sendable {
    let status: HTTPStatus
    let fields: HTTPFields
    let requestTime: Double
    let responseTime: Double
    /// The time of the response that brought the body: one without a body, such as a 304, leaves it.
    let receivedTime: Double
    /// The names in `Vary`, as ``Variant/names(in:)`` returns them.
    let varying: [String]
    let directives: ResponseDirectives
    let freshness: Freshness
    let body: StoredBody
    /// The version of the entry in its storage; 0 before it is stored.
    let version: Int64
    /// The approximate size in bytes.
    let cost: Int
    /// The part of ``cost`` that is in memory.
    var memoryCost: Int { body.isInFile ? cost - body.byteCount : cost }

    /// - Parameters:
    ///   - receivedTime: ``receivedTime``; nil if this response has brought its body.
    ///   - directives: those of the fields, if they are known.
    init(
        _ status: HTTPStatus, _ fields: HTTPFields, requestTime: Double, responseTime: Double,
        receivedTime: Double? = nil, varying: [String], body: StoredBody, version: Int64 = 0,
        directives: ResponseDirectives? = nil, rules: CacheRules
    ) {
        self.status = status
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.receivedTime = receivedTime ?? responseTime
        self.varying = varying
        self.body = body
        self.version = version
        self.directives = directives ?? ResponseDirectives(fields)
        freshness = Freshness(
            status, fields, self.directives, requestTime: requestTime, responseTime: responseTime, rules: rules)
        cost = body.byteCount + Self.cost(of: fields)
    }

    private static func cost(of fields: HTTPFields) -> Int {
        fields.reduce(512) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
    }

    private init(_ other: StoredResponse, body: StoredBody, version: Int64) {
        status = other.status
        fields = other.fields
        requestTime = other.requestTime
        responseTime = other.responseTime
        receivedTime = other.receivedTime
        varying = other.varying
        directives = other.directives
        freshness = other.freshness
        self.body = body
        self.version = version
        cost = other.cost - other.body.byteCount + body.byteCount
    }

    /// The same response with another body or version.
    func with(body: StoredBody? = nil, version: Int64? = nil) -> StoredResponse {
        StoredResponse(self, body: body ?? self.body, version: version ?? self.version)
    }

    /// The entity tag, if it is strong.
    var entityTag: String? { HTTPResponseHead(status: status, fields: fields, url: Self.noURL).strongEntityTag }

    private static let noURL = URL(filePath: "/")

    /// True if it can be revalidated.
    var hasValidator: Bool { fields.contains(.etag) || fields.contains(.lastModified) }

    /// By this the newest of several responses is found: its time, and one of a clock that was set back comes last.
    func recency(at now: Double) -> Double {
        Freshness.isFuture(responseTime, at: now) ? responseTime - Freshness.century : responseTime
    }

    /// The head of the response to a request, without its age.
    func head(for request: HTTPRequest) -> HTTPResponseHead {
        var head = HTTPResponseHead(status: status, fields: fields, url: request.url)
        head.method = request.method
        return head
    }

    /// The response to a request with this stored one: the whole, a part, or a 304 for the request's conditions.
    func response(
        to request: HTTPRequest, _ cacheStatus: CacheStatus, at now: Double
    ) -> (head: HTTPResponseHead, bytes: StoredBody.Slice?) {
        var head = head(for: request)
        head.cacheStatus = cacheStatus
        head.isHit = cacheStatus.isHit
        head.fields[.age] = String(freshness.age(at: now).wholeSeconds)
        if status == .ok || status == .partialContent {
            if Preconditions.areConditional(request.fields), Preconditions.areMet(by: fields, in: request.fields) {
                head.status = .notModified
                head.fields = FieldRules.notModified(head.fields)
                return (head, nil)
            }
            if request.method == .get,
                case .part(let range) = RequestedRange(request.fields).content(of: self, for: request)
            {
                head.status = .partialContent
                let length = body.length.map(String.init) ?? "*"
                head.fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
                head.fields[.contentLength] = String(range.count)
                // That of the stored bytes.
                head.fields["Content-Digest"] = nil
                return (head, body.slice(range))
            }
        }
        return (head, request.method == .head ? nil : body.whole)
    }

    /// The response with another status and other fields.
    func with(status: HTTPStatus, _ fields: HTTPFields, _ body: StoredBody, rules: CacheRules) -> StoredResponse {
        StoredResponse(
            status, fields, requestTime: requestTime, responseTime: responseTime, receivedTime: receivedTime,
            varying: varying, body: body, rules: rules)
    }

    /// True if it must not be used stale in any case.
    func forbidsStale(_ rules: CacheRules) -> Bool {
        directives.mustRevalidate || directives.noCache
            || rules.isShared && (directives.proxyRevalidate || directives.sharedMaxAge != nil)
    }
}
