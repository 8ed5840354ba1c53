import Foundation

extension StoreCoding {
    /// Encodes the nested values of a column: keys sorted, so that equal values have equal texts.
    func makeJSONEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy =
            switch dates {
            case .unixSeconds: .secondsSince1970
            case .unixMilliseconds: .millisecondsSince1970
            case .text:
                .custom { date, encoder in
                    guard let text = SQLiteDate.text(of: date) else {
                        let context = EncodingError.Context(
                            codingPath: encoder.codingPath, debugDescription: "The date is out of range.")
                        throw EncodingError.invalidValue(date, context)
                    }
                    var container = encoder.singleValueContainer()
                    try container.encode(text)
                }
            }
        return encoder
    }
}
