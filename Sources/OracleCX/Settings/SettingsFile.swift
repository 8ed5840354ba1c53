import Foundation

/// Reads and replaces the file of a store.
struct SettingsFile {
    let url: URL

    /// The settings in the file; none when there is no file. What is no settings file is set aside, and said so.
    /// - Throws: ``ORASettingsError`` (`unreadable`).
    func read() throws(ORASettingsError) -> (settings: StoredSettings, damage: ORASettingsError?) {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch CocoaError.fileReadNoSuchFile {
            return (StoredSettings(), nil)
        } catch {
            throw ORASettingsError(
                .unreadable, "The settings in \(url.path) cannot be read, so nothing is written there.",
                underlying: error)
        }
        if let settings = StoredSettings(parsing: data) { return (settings, nil) }
        return (StoredSettings(), try setAside())
    }

    private func setAside() throws(ORASettingsError) -> ORASettingsError {
        do {
            let place = try freePlace()
            try FileManager.default.moveItem(at: url, to: place)
            return ORASettingsError(
                .damaged, "\(url.path) holds no settings that can be read; it was set aside as \(place.path).")
        } catch {
            throw ORASettingsError(
                .unreadable,
                "\(url.path) holds no settings that can be read, and could not be set aside; move it away.",
                underlying: error)
        }
    }

    private func freePlace() throws -> URL {
        for number in 1...1000 {
            let place = url.appendingPathExtension("damaged-\(number)")
            if !FileManager.default.fileExists(atPath: place.path) { return place }
        }
        throw CocoaError(.fileWriteFileExists)
    }

    /// Replaces the file as a whole.
    /// - Throws: ``ORASettingsError`` (`unwritable`); then the file is as it was.
    func write(_ settings: StoredSettings) throws(ORASettingsError) {
        do {
            let data = try settings.data()
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: url, options: .atomic)
        } catch {
            throw ORASettingsError(
                .unwritable, "The settings cannot be written to \(url.path).", underlying: error)
        }
    }
}
