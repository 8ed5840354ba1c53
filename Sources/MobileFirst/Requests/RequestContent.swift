import Foundation
import HTTPMessages

/// The body that a call passes, with its media type.
enum RequestContent {
    case none
    case text(String?)
    case form([AnyHashable: Any]?)
    case json([AnyHashable: Any]?)
    case data(Data?)
    case file(URL)

    /// The body and its `Content-Type`; nil without a body.
    /// - Parameter encoding: the encoding of text.
    func encoded(_ encoding: String.Encoding) throws -> (body: HTTPBody, type: String)? {
        switch self {
        case .none:
            return nil
        case .text(let text):
            guard let data = (text ?? "").data(using: encoding) else {
                throw WLError(
                    .invalidRequest,
                    "The body cannot be encoded in \(encoding); set `stringEncoding` to String.Encoding.utf8.rawValue.")
            }
            let charset = Self.charsets[encoding].map { "; charset=\($0)" } ?? ""
            return (.bytes(data), "text/plain\(charset)")
        case .form(let values):
            let members = try Self.members(values ?? [:], of: "form")
            let fields = try members.sorted { $0.key < $1.key }.map { name, value in
                (name, try value.parameterText ?? "")
            }
            return (.text(URIComponent.encode(fields)), MediaType.form.description)
        case .json(let values):
            let value = JSONValue.object(try Self.members(values ?? [:], of: "JSON body"))
            return (.bytes(try value.data()), "application/json; charset=utf-8")
        case .data(let data):
            return (.bytes(data ?? Data()), "application/octet-stream")
        case .file(let file):
            return (try .file(at: file), "application/octet-stream")
        }
    }

    /// True if the app cannot override the media type.
    var fixesType: Bool { if case .form = self { true } else { false } }

    private static let charsets: [String.Encoding: String] = [
        .utf8: "utf-8", .isoLatin1: "iso-8859-1", .ascii: "us-ascii", .utf16: "utf-16",
    ]

    /// The members of a dictionary that the app passes.
    static func members(_ values: [AnyHashable: Any], of subject: String) throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for (name, value) in values {
            guard let name = name.base as? String else {
                throw WLError(.invalidRequest, "A name in the \(subject) is not a string; use String keys only.")
            }
            members[name] = try JSONValue(foundation: value)
        }
        return members
    }
}
