function names = loaded_by_test(m)
disp('noise')
if strcmp(m.name, 'refused'), error('dalembert:unsupported', 'not %s', m.joints{1}); end
if strcmp(m.name, 'failed'), error('failed'); end
if strcmp(m.name, 'thrown'), error('a:b', 'thrown'); end
names = flipud(m.joints);
end
