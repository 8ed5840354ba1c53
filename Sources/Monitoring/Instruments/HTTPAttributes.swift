import HTTPMessages
import PatchbayErrors
import Transport

/// The attributes that spans and measurements of a request have in common.
struct HTTPAttributes {
    /// Stands for a method that the conventions do not name, whose number is unlimited.
    static let other = "_OTHER"

    /// The attributes of a request without a response.
    let request: [String: AttributeValue]
    let all: [String: AttributeValue]

    init(_ request: HTTPRequest, _ end: ObservedEnd? = nil) {
        let origin = request.origin
        var attributes: [String: AttributeValue] = [
            "http.request.method": .string(request.method.isKnown ? request.method.name : Self.other),
            "server.address": .string(origin.host), "server.port": .int(Int(origin.port) ?? 0),
        ]
        if let template = request.options.urlTemplate { attributes["url.template"] = .string(template) }
        self.request = attributes
        if let status = end?.head?.status { attributes["http.response.status_code"] = .int(status.code) }
        if let type = end?.errorType { attributes["error.type"] = .string(type) }
        if let version = end?.metrics?.httpVersion { attributes["network.protocol.version"] = .string(version) }
        all = attributes
    }
}

extension HTTPMethod {
    /// True for the methods that OpenTelemetry's conventions know (RFC 9110, RFC 5789, `QUERY`).
    var isKnown: Bool {
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY"].contains(name)
    }
}

extension ObservedEnd {
    /// The error as OpenTelemetry's `error.type`: the name of its code, its type, or the status; nil for a success.
    var errorType: String? {
        switch outcome {
        case .completed: head.flatMap { $0.status.code >= 400 ? "\($0.status.code)" : nil }
        case .failed(let error as any PatchbayError): error.codeName
        case .failed(is CancellationError): "cancelled"
        case .failed(let error): "\(type(of: error))"
        case .abandoned: nil
        }
    }
}

extension PatchbayError {
    fileprivate var codeName: String { code.name }
}
