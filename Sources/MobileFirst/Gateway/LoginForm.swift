import Authentication
import Foundation
import HTTPMessages
import RequestModel
import Transport

/// A login form of a gateway.
struct LoginForm {
    let url: String
    let parameters: [AnyHashable: Any]
    let headers: [AnyHashable: Any]
    let milliseconds: Int32
    let method: String

    /// The timeout; negative means ten seconds.
    var timeout: Duration { milliseconds < 0 ? .seconds(10) : .milliseconds(Int64(milliseconds)) }

    /// The request to send.
    func request(_ state: ClientState) throws -> HTTPRequest {
        let method = try HTTPMethod(method.uppercased())
        var fields = HTTPFields()
        for (name, value) in headers {
            guard let name = name.base as? String, let text = try JSONValue(foundation: value).parameterText else {
                throw WLError(.invalidRequest, "A header of the login form is not a string; use strings only.")
            }
            try fields.set(name, to: text)
        }
        fields = try state.fields(overriddenBy: fields)
        let scheme = URLReference(url[...]).scheme?.lowercased()
        let isAbsolute = scheme == "http" || scheme == "https"
        var target = isAbsolute ? url : try state.server().appending(url).text
        guard let (body, type) = try RequestContent.form(parameters).encoded(.utf8) else {
            throw WLError(.internalError, "The login form has no body.")
        }
        var options = RequestOptions(timeouts: Timeouts(total: timeout))
        options.skipsAuthorization = true
        options.hasSecretBody = true
        guard method.allowsBody, method != .delete else {
            let query = RequestQuery(parameters: parameters).text
            if !query.isEmpty { target += (target.contains("?") ? "&" : "?") + query }
            return try HTTPRequest(method, target, fields: fields, options: options)
        }
        try fields.set(.contentType, to: type)
        return try HTTPRequest(method, target, fields: fields, body: body, options: options)
    }
}

extension RequestQuery {
    fileprivate init(parameters: [AnyHashable: Any]) {
        self.init()
        for (name, value) in parameters.map({ ("\($0.key)", $0.value) }).sorted(by: { $0.0 < $1.0 }) {
            set(name, to: (try? JSONValue(foundation: value))?.parameterText)
        }
    }
}
