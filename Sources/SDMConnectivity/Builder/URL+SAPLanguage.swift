public import Foundation
import RequestModel

extension URL {
    /// Returns the URL with the query parameter `sap-language`, which replaces an existing one.
    ///
    /// Other parameters are unchanged. A second question mark before an existing `sap-language`, as the vendor's sample
    /// makes it of a URL with a query, is corrected.
    public func withSAPLanguage(_ language: String) -> URL {
        let (start, fragment) = absoluteString.split(atFirst: "#")
        let (path, query) = start.split(atFirst: "?")
        var items = (query ?? "").replacing("?sap-language=", with: "&sap-language=").split(separator: "&")
        items.removeAll { $0.lowercased().hasPrefix("sap-language=") }
        items.append(Query([("sap-language", language)]).text()[...])
        let text = path + "?" + items.joined(separator: "&") + (fragment.map { "#" + $0 } ?? "")
        return URL(string: text) ?? self
    }
}

extension String {
    /// The text before and after the first occurrence of a character; nil behind it if there is none.
    fileprivate func split(atFirst character: Character) -> (String, String?) {
        guard let index = firstIndex(of: character) else { return (self, nil) }
        return (String(self[..<index]), String(self[index...].dropFirst()))
    }
}
