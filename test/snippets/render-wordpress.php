<?php
// The functions of WordPress that the snippet calls, and what WordPress writes for them.
$shortcodes = [];
$scripts = '';

function add_shortcode($name, $callback) {
    global $shortcodes;
    $shortcodes[$name] = $callback;
}

function wp_enqueue_script($handle, $src, $dependencies, $version, $options) {
    global $scripts;
    $strategy = $options['strategy'];
    $scripts .= "<script src=\"$src\" id=\"$handle-js\" $strategy data-wp-strategy=\"$strategy\"></script>";
}

require $argv[1];
echo $shortcodes['doorlist_form'](), $scripts;
