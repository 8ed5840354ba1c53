import Foundation
package import JSON

extension StoreValue? {
    /// True for equal cells, and for two forms of one instant, or of one JSON list or object.
    ///
    /// A server may write these in another form than a record. Instants are compared to the millisecond.
    package func means(_ other: StoreValue?) -> Bool {
        guard self != other, case .text(let text)? = self, case .text(let otherText)? = other else {
            return self == other
        }
        if let instant = text.instant { return instant == otherText.instant }
        if let container = text.jsonContainer { return container == otherText.jsonContainer }
        return false
    }
}

extension String {
    /// The text of the same instant as a store writes it; nil if it is no date.
    fileprivate var instant: String? {
        var text = self
        return text.withUTF8 { SQLiteDate.date(UnsafeRawBufferPointer($0)) }.flatMap { SQLiteDate.text(of: $0) }
    }

    /// The value of a JSON list or object; nil for another text.
    package var jsonContainer: JSONValue? {
        // A bare `nil` would be inferred as `JSONValue.null`.
        guard let first = utf8.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else { return .none }
        return try? JSONValue(parsing: Data(utf8))
    }
}
