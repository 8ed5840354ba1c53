import Foundation
import HTTPMessages
import JSON

extension HTTPFields {
    /// Names and values in turn, as a JSON array: the form in which fields are stored.
    var stored: String {
        var text = "["
        for field in self {
            if text.utf8.count > 1 { text += "," }
            // A name is a token, which has nothing to escape.
            text += "\"\(field.name.rawName)\","
            text += field.value.isPlainJSON ? "\"\(field.value)\"" : JSONValue.string(field.value).description
        }
        return text + "]"
    }

    /// Reads stored fields.
    /// - Throws: ``StoredRequest/Damage``.
    init(stored: String) throws {
        self.init()
        guard let values = try? JSONValue(parsing: Data(stored.utf8)).array, values.count % 2 == 0 else {
            throw StoredRequest.Damage()
        }
        for index in stride(from: 0, to: values.count, by: 2) {
            guard let name = values[index].string, let value = values[index + 1].string else {
                throw StoredRequest.Damage()
            }
            do { try append(name, value) } catch { throw StoredRequest.Damage() }
        }
    }
}

extension String {
    /// True if a JSON string of it is the text in quotes.
    fileprivate var isPlainJSON: Bool {
        utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}
