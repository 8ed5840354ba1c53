import Foundation
import HTTPMessages

/// A representation of OData V2.
enum ODataFormat {
    case atom
    case json

    /// The format of the response to a request: `$format`, otherwise the first of the highest quality in `Accept`,
    /// otherwise Atom.
    init(_ request: HTTPRequest) {
        if let format = request.parameters["$format"] {
            self = format == "json" ? .json : .atom
            return
        }
        let ranges = request.fields.values(of: .accept).flatMap { $0.split(separator: ",") }.compactMap { range in
            MediaType(parsing: String(range)).map { (type: $0, quality: $0["q"].flatMap { Double($0) } ?? 1) }
        }
        let atomTypes = ["application/atom+xml", "application/xml", "application/*", "*/*"]
        let known = ranges.filter { $0.type.isJSON || atomTypes.contains($0.type.essence) }.filter { $0.quality > 0 }
        let highest = known.map(\.quality).max()
        self = known.first { $0.quality == highest }?.type.isJSON == true ? .json : .atom
    }
}

/// XML namespaces.
enum ODataNamespace {
    static let atom = "http://www.w3.org/2005/Atom"
    static let app = "http://www.w3.org/2007/app"
    static let data = "http://schemas.microsoft.com/ado/2007/08/dataservices"
    static let metadata = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
}

extension String {
    /// The text for XML content and attributes; characters that XML 1.0 forbids become U+FFFD.
    var xmlEscaped: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\r": escaped += "&#13;"
            case "\t", "\n", "\u{20}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}": escaped.unicodeScalars.append(scalar)
            default: escaped.unicodeScalars.append("\u{FFFD}")
            }
        }
        return escaped
    }
}
