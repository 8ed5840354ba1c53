package import SystemLibraries

extension WorkerThreads {
    /// Calls transfer observers.
    package static let observers = WorkerThreads(count: 4, name: "patchbay.events")
    /// Writes the files of downloads.
    package static let files = WorkerThreads(count: 4, name: "patchbay.files")
}
