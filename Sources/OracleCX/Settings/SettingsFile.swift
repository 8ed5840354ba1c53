import Coordination
import Foundation
import SystemLibraries

/// Reads, replaces and quarantines a settings file.
struct SettingsFile {
    let url: URL

    /// Reads the settings; empty if there is no file. A damaged file is quarantined, and `damage` reports it.
    /// - Throws: ``ORASettingsError`` (`unreadable`).
    func read() throws(ORASettingsError) -> (settings: StoredSettings, damage: ORASettingsError?) {
        let data: Data?
        do {
            data = try SmallFile(url).read()
        } catch {
            throw ORASettingsError(
                .unreadable, "Cannot read settings file \(url.path); it is not written until it can be read.",
                underlying: error)
        }
        guard let data else { return (StoredSettings(), nil) }
        if let settings = StoredSettings(parsing: data) { return (settings, nil) }
        return (StoredSettings(), try quarantine())
    }

    private func quarantine() throws(ORASettingsError) -> ORASettingsError {
        do {
            let target = try unusedURL()
            try FileManager.default.moveItem(at: url, to: target)
            return ORASettingsError(
                .damaged,
                "Settings file \(url.path) is damaged; it was renamed to \(target.path), and all settings are reset.")
        } catch {
            throw ORASettingsError(
                .unreadable,
                "Settings file \(url.path) is damaged and cannot be renamed; move it away.",
                underlying: error)
        }
    }

    private func unusedURL() throws -> URL {
        for number in 1...1000 {
            let target = url.appendingPathExtension("damaged-\(number)")
            if !FileManager.default.fileExists(atPath: target.path) { return target }
        }
        throw CocoaError(.fileWriteFileExists)
    }

    /// Replaces the file atomically, with the permissions of its owner only.
    /// - Throws: ``ORASettingsError`` (`unwritable`); the file is unchanged then.
    func write(_ settings: StoredSettings) throws(ORASettingsError) {
        do {
            let data = try settings.data()
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try SmallFile(url).replace(with: data)
        } catch {
            throw ORASettingsError(
                .unwritable, "Cannot write settings file \(url.path); see the underlying error.", underlying: error)
        }
    }
}
