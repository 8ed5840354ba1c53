package import SystemLibraries

extension BackgroundTasks {
    /// The background task functions of `UIApplication.shared`; nil without UIKit or a running application.
    ///
    /// Both methods may be called on any thread (Apple, `UIApplication`).
    package static func sharedApplication(in runtime: ObjectiveCRuntime?) -> BackgroundTasks? {
        guard let runtime, let type = runtime.type("UIApplication"),
            let application = runtime.object(type, "sharedApplication")
        else { return nil }
        // The application lives as long as the process, so its address is captured, as an integer that is Sendable.
        let address = UInt(bitPattern: application)
        return BackgroundTasks(
            begin: { expired in
                guard let application = OpaquePointer(bitPattern: address) else { return 0 }
                return runtime.integer(application, "beginBackgroundTaskWithExpirationHandler:") { expired() } ?? 0
            },
            end: { task in
                guard let application = OpaquePointer(bitPattern: address) else { return }
                runtime.call(application, "endBackgroundTask:", task)
            })
    }
}
