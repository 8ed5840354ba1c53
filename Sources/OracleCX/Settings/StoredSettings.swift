import Foundation
import HTTPMessages

/// The settings of all modules, and their JSON format.
///
/// ```
/// {"format":1,"modules":{"ORACORE":{"values":{"ora_dc_…":"true"},"version":3}}}
/// ```
struct StoredSettings: Equatable, Sendable {
    struct Module: Equatable, Sendable {
        /// The last applied configuration version; 0 means none.
        var version: Int64 = 0
        var values: [String: String] = [:]
    }

    var modules: [String: Module] = [:]

    subscript(key: ModuleKey) -> String? {
        get { modules[key.module.text]?.values[key.key] }
        set { modules[key.module.text, default: Module()].values[key.key] = newValue }
    }
}

extension StoredSettings {
    /// Parses the format of ``data()``; nil for anything else.
    init?(parsing data: Data) {
        guard let root = try? JSONValue(parsing: data), root["format"] == 1, let modules = root["modules"]?.object
        else { return nil }
        for (id, value) in modules {
            guard let version = value["version"]?.integer, let values = value["values"]?.object else { return nil }
            let texts = values.compactMapValues(\.string)
            guard texts.count == values.count else { return nil }
            self.modules[id] = Module(version: version, values: texts)
        }
    }

    func data() throws -> Data {
        let modules = modules.mapValues { module in
            JSONValue.object([
                "version": .integer(module.version), "values": .object(module.values.mapValues(JSONValue.string)),
            ])
        }
        return try JSONValue.object(["format": 1, "modules": .object(modules)]).data()
    }
}
