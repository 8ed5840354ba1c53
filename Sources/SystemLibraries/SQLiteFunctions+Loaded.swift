extension SQLiteFunctions {
    /// Loads an SQLite at run time, so that building needs neither its header nor a development package.
    /// - Parameter isIsolated: true for a library that has functions of the same names as one that is loaded already,
    ///   such as SQLCipher beside SQLite.
    package static func load(
        from name: String, isIsolated: Bool = false
    ) throws(SystemLibraryError) -> SQLiteFunctions {
        let library = try DynamicLibrary(name, isIsolated: isIsolated)
        return SQLiteFunctions(
            versionNumber: try library.function("sqlite3_libversion_number", as: Number.self),
            open: try library.function("sqlite3_open_v2", as: Open.self),
            close: try library.function("sqlite3_close_v2", as: Ask.self),
            fileName: try library.function("sqlite3_db_filename", as: FileName.self),
            fileControl: try library.function("sqlite3_file_control", as: FileControl.self),
            setExtendedResultCodes: try library.function("sqlite3_extended_result_codes", as: AskWith.self),
            setBusyTimeout: try library.function("sqlite3_busy_timeout", as: AskWith.self),
            setAuthorizer: try library.function("sqlite3_set_authorizer", as: SetAuthorizer.self),
            errorMessage: try library.function("sqlite3_errmsg", as: Message.self),
            errorOffset: try? library.function("sqlite3_error_offset", as: Ask.self),
            codeMessage: try library.function("sqlite3_errstr", as: CodeMessage.self),
            changes: try library.function("sqlite3_changes", as: Ask.self),
            totalChanges: try library.function("sqlite3_total_changes", as: Ask.self),
            isAutocommit: try library.function("sqlite3_get_autocommit", as: Ask.self),
            prepare: try library.function("sqlite3_prepare_v3", as: Prepare.self),
            finalize: try library.function("sqlite3_finalize", as: Ask.self),
            step: try library.function("sqlite3_step", as: Ask.self),
            reset: try library.function("sqlite3_reset", as: Ask.self),
            clearBindings: try library.function("sqlite3_clear_bindings", as: Ask.self),
            isReadOnly: try library.function("sqlite3_stmt_readonly", as: Ask.self),
            isBusy: try library.function("sqlite3_stmt_busy", as: Ask.self),
            status: try library.function("sqlite3_stmt_status", as: Status.self),
            parameterCount: try library.function("sqlite3_bind_parameter_count", as: Ask.self),
            bindNull: try library.function("sqlite3_bind_null", as: AskWith.self),
            bindInteger: try library.function("sqlite3_bind_int64", as: BindInteger.self),
            bindReal: try library.function("sqlite3_bind_double", as: BindReal.self),
            bindText: try library.function("sqlite3_bind_text64", as: BindText.self),
            bindBlob: try library.function("sqlite3_bind_blob64", as: BindBlob.self),
            columnCount: try library.function("sqlite3_column_count", as: Ask.self),
            columnName: try library.function("sqlite3_column_name", as: ColumnName.self),
            columnValue: try library.function("sqlite3_column_value", as: ColumnValue.self),
            valueType: try library.function("sqlite3_value_type", as: Ask.self),
            valueInteger: try library.function("sqlite3_value_int64", as: ValueInteger.self),
            valueReal: try library.function("sqlite3_value_double", as: ValueReal.self),
            valueText: try library.function("sqlite3_value_text", as: ValueText.self),
            valueBlob: try library.function("sqlite3_value_blob", as: ValueBlob.self),
            valueBytes: try library.function("sqlite3_value_bytes", as: Ask.self))
    }
}

#if !canImport(Darwin)
    extension SQLiteFunctions {
        package static let libraryName = "libsqlite3.so.0"

        static func load() throws(SystemLibraryError) -> SQLiteFunctions { try load(from: libraryName) }
    }
#endif
