import Foundation
import HTTPMessages
import JSON

extension HTTPFields {
    /// Names and values in turn, as a JSON array: the form in which fields are stored.
    var stored: String {
        JSONValue.array(flatMap { [.string($0.name.rawName), .string($0.value)] }).description
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
